import PinFormat
package import TestSupport

extension PlainWorld {
  /// A world by chance, larger than those that can be enumerated: with every kind of entry, clock and landing.
  package static func random(_ chance: inout SeededGenerator) -> PlainWorld {
    let end = 20 + chance.below(30)
    // Half of them are calm, so that some are safe: key 1 is everywhere, and no clock blocks.
    let isCalm = chance.once(in: 2)
    var issued = (0...chance.below(5)).map { _ in chance.below(end) - 15 }
    issued = Array(Set(issued)).sorted()
    var releases: [PlainRelease] = []
    // The first release at or after now is the candidate, unless all are released already.
    let candidate = chance.once(in: 8) ? issued.count : issued.firstIndex { $0 >= 0 } ?? issued.count
    for (number, instant) in issued.enumerated() {
      let origin: PlainRelease.Origin =
        number < candidate ? .released : number == candidate ? .candidate : .planned
      releases.append(release(origin, issued: instant, end: end, after: releases.last, isCalm, &chance))
    }
    var servers: [PlainServer] = []
    let few = chance.once(in: 2)
    for (host, port) in asked where few ? chance.once(in: 4) : !chance.once(in: 3) {
      servers.append(PlainServer(host, port: port, phases(end: end, isCalm, &chance)))
    }
    let window = chance.below(end)
    let issuers = chance.once(in: 2) ? [5: chance.pick([[[4]], [[6]], [[4], [6]]])] : [:]
    return PlainWorld(end: end, window: window, releases: releases, servers: servers, issuers: issuers)
  }

  private static let asked: [(host: String, port: Int)] = [
    ("b.test", 443), ("a.b.test", 443), ("a.b.test", 8443), ("c.a.b.test", 443), ("d.test", 443),
  ]
  private static let places: [(host: String, port: Int?, subdomains: Bool)] = [
    ("b.test", nil, true), ("b.test", 443, false), ("a.b.test", nil, false), ("a.b.test", 443, true),
    ("a.b.test", 8443, false), ("c.a.b.test", nil, true), ("d.test", nil, false), ("test", nil, true),
  ]
  /// A key has the same position in all worlds, as real keys do.
  private static let keys: [PlainKey] = [
    1, 2, PlainKey(3, .leaf), PlainKey(4, .root), PlainKey(5, .intermediate), PlainKey(6, .root),
  ]

  private static func release(
    _ origin: PlainRelease.Origin, issued: Int, end: Int, after last: PlainRelease?, _ isCalm: Bool,
    _ chance: inout SeededGenerator
  ) -> PlainRelease {
    // Mostly small changes from one release to the next.
    var entries =
      last?.entries ?? places.filter { _ in chance.once(in: 2) }.map { entry($0, end: end, isCalm, &chance) }
    if last != nil {
      for place in places where chance.once(in: 4) {
        let index = entries.firstIndex { $0.host == place.host && $0.port == place.port }
        if let index { entries.remove(at: index) }
        if index == nil || !chance.once(in: 3) { entries.append(entry(place, end: end, isCalm, &chance)) }
      }
    }
    if isCalm { return PlainRelease(origin, issued: issued, entries) }
    var denied = last?.denied ?? []
    if chance.once(in: 6) { denied = keys.map(\.number).filter { _ in chance.once(in: 6) } }
    return PlainRelease(
      origin, issued: issued, entries, denied: denied,
      expires: chance.once(in: 2) ? issued + chance.below(end) : nil, onStale: chance.pick(ExpiryAction.allCases),
      deniesUnpinned: chance.once(in: 6))
  }

  private static func entry(
    _ place: (host: String, port: Int?, subdomains: Bool), end: Int, _ isCalm: Bool,
    _ chance: inout SeededGenerator
  ) -> PlainEntry {
    if isCalm {
      let others = keys.dropFirst().filter { _ in chance.once(in: 2) }
      return PlainEntry(place.host, port: place.port, subdomains: place.subdomains, keys: [1] + others)
    }
    let modes: [Mode] = [.enforce, .enforce, .enforce, .enforce, .reportOnly, .off]
    let mode = chance.pick(modes)
    guard mode != .off else { return PlainEntry(place.host, port: place.port, subdomains: place.subdomains, .off) }
    var own = keys.filter { _ in chance.once(in: 2) }
    if own.isEmpty { own = [chance.pick(keys)] }
    for index in own.indices where chance.once(in: 3) { own[index].isBackup = true }
    let expires = chance.once(in: 4) ? chance.below(end + 10) - 5 : nil
    return PlainEntry(
      place.host, port: place.port, subdomains: place.subdomains, mode, keys: own,
      chance.once(in: 5) ? .leafAndCA : .any, expires: expires,
      onExpiry: expires == nil ? nil : chance.pick(ExpiryAction.allCases))
  }

  private static func phases(end: Int, _ isCalm: Bool, _ chance: inout SeededGenerator) -> [PlainPhase] {
    var begins = (0..<chance.below(4)).map { _ in 1 + chance.below(end) }
    begins = Array(Set(begins)).sorted()
    let first = PlainPhase(chance.once(in: 4) ? .assumed : .observed, at: -20, views(isCalm, &chance))
    return [first]
      + begins.map { begin in
        let source = chance.pick([PlainPhase.Source.planned, .planned, .planned, .afterLoss, .observed])
        let isUncertain = source == .planned && first.isUncertain
        return PlainPhase(source, at: begin, isUncertain: isUncertain, views(isCalm, &chance))
      }
  }

  private static func views(_ isCalm: Bool, _ chance: inout SeededGenerator) -> [PlainView] {
    let kinds = chance.once(in: 4) ? ["old", "new"] : [nil]
    return kinds.map { kind in
      PlainView(kind: kind, (0...(chance.once(in: 3) ? 2 : 0)).map { _ in landing(isCalm, &chance) })
    }
  }

  private static func landing(_ isCalm: Bool, _ chance: inout SeededGenerator) -> PlainLanding {
    let calm = chance.pick([[1], [1, 4], [1, 0, 6], [1, 5, 4]])
    if isCalm { return .chain(calm) }
    // Leaf keys at the leaf, roots at the root; one in eight is reversed.
    let chains = [
      [1], [2], [3], [1, 4], [3, 5, 4], [2, 5, 6], [0, 5, 4], [1, 0, 6], [0], [3, 2, 4], [4, 1], [0, 1, 0],
    ]
    // One in six is unhealthy: expired, or with an unknown end.
    if chance.once(in: 6) { return .refused(chance.once(in: 3) ? [chance.pick([0, 1, 3]), 0] : chance.pick(chains)) }
    return .chain(chance.pick(chains), until: chance.once(in: 12) ? chance.below(30) - 5 : nil)
  }
}
