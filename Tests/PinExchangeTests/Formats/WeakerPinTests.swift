import PinExchange
import PinFormat
import PinPolicy
import TestSupport
import Testing

/// No target lets in what the policy blocks, but by an accepted loss that says so and is about this host.
struct WeakerPinTests {
  /// Losses by which a chain may be accepted that the policy blocks: by pins that match, or because nothing is pinned.
  private static let acceptsMore: Set<PolicyFeature> = [
    .port, .leafPosition, .intermediatePosition, .rootPosition, .caPosition, .leafAndCA, .deniedKeys, .expiryBlock,
    .nestedEntries,
    .unpinnedHosts,
  ]
  private static let pinsLess: Set<PolicyFeature> = [
    .subdomains, .address, .nestedEntries, .unpinnedHosts, .singleKey, .mixedPositions, .reportOnly,
  ]
  /// Chromium's list ends after ten weeks, whatever the policy says of expiry.
  private static let expiry: Set<PolicyFeature> = [
    .expiryEnforce, .expiryReportOnly, .expiryUnpinned, .expiryBlock, .expiryTime, .expiryZone,
  ]

  @Test(arguments: TargetModel.allCases)
  func aTargetIsWeakerOnlyWhereALossSaysSo(_ target: TargetModel) throws {
    var compared = 0
    for seed in 0..<Thoroughness.pick(40, full: 120) {
      let list = try Self.list(seed)
      guard let fitted = try? target.format.fitted(list),
        let files = try? target.format.write(fitted, ExportSettings(at: PinListScene.instant))
      else { continue }
      let file = try target.read(files)
      compared += 1
      for connection in try Self.connections(list) {
        let policy = PolicyModel(list: list)
        guard policy.answer(to: connection) == .blocked else { continue }
        let answer = target.answer(file, to: connection)
        // A curl file applies only to the URLs in it.
        guard answer != .blocked, !(target == .curl && answer == .notPinned) else { continue }
        let entry = policy.entry(for: connection)
        #expect(
          fitted.losses.contains { Self.excuses($0, of: target, answer, entry, in: list, connection) },
          "seed \(seed): \(connection.host):\(connection.port) is \(answer) by \(entry.map { "\($0)" } ?? "none"), \(fitted.losses.map { "\($0.feature) \($0.uses)" })"
        )
      }
    }
    // Checks that enough lists fitted to be compared.
    #expect(compared > Thoroughness.pick(6, full: 20))
  }

  private static func excuses(
    _ loss: Loss, of target: TargetModel, _ answer: ModelAnswer, _ entry: PinList.Host?, in list: PinList,
    _ connection: Connection
  ) -> Bool {
    guard
      answer == .allowed
        ? acceptsMore.contains(loss.feature) : pinsLess.union(target == .chromium ? expiry : []).contains(loss.feature)
    else {
      return false
    }
    switch loss.feature {
    case .unpinnedHosts:
      var open = list
      open.unpinnedHosts = .allow
      return PolicyModel(list: open).answer(to: connection) == .notPinned
    case .deniedKeys: return !Set(list.deniedKeys.map(\.pin)).isDisjoint(with: connection.chain)
    // The pins of one port apply to all ports of its names.
    case .port:
      return loss.uses.contains { use in
        let name = String(use.prefix { $0 != ":" })
        return name == connection.host || connection.namesAbove.contains(name)
      }
    // Names below a nested entry are governed by an entry above it.
    case .nestedEntries:
      return loss.uses.contains { connection.namesAbove.contains($0) || $0 == connection.host }
    default:
      guard let entry else { return false }
      // If ports were lost before, the label has none.
      return loss.uses.contains(entry.label) || loss.uses.contains(entry.host.text)
        || list.keys(of: entry).contains { loss.uses.contains($0.name) }
    }
  }

  /// A few names above and below each other, with most of what an entry may say.
  private static func list(_ seed: Int) throws -> PinList {
    var generator = SeededGenerator(seed: UInt64(seed) &+ 4_242)
    var list = PinList()
    let positions: [KeyPosition?] = [nil, nil, nil, .leaf, .intermediate, .root, .ca]
    let owners: [PinList.Owner?] = [.server, .certificateAuthority, nil]
    list.keys = try (0..<6).map { number in
      try PinListScene.key(number, generator.pick(owners), at: generator.once(in: 2) ? generator.pick(positions) : nil)
    }
    if generator.once(in: 4) { list.keys[5].denied = "leaked" }
    list.keySets = (0..<3).map { number in
      let first = generator.below(5)
      return PinList.KeySet(name: "set-\(number)", active: [first], backup: [(first + 1 + generator.below(3)) % 5])
    }
    let names = ["example.com", "api.example.com", "v1.api.example.com", "www.example.com"]
    for name in names where !generator.once(in: 3) {
      for port in generator.pick([[nil], [nil], [nil], [443], [8443], [nil, 8443], [nil, 443]] as [[UInt16?]]) {
        var host = try PinListScene.host(
          name, port: port, generator.once(in: 2) ? .all : .none, keySet: generator.below(3))
        switch generator.below(5) {
        case 0: (host.mode, host.keySet) = (.off, nil)
        case 1: host.mode = .reportOnly
        case 2: host.requirement = .leafAndCA
        default: break
        }
        if host.mode != .off {
          host.expires = PinListScene.instant.adding(seconds: 86_400 + 3_600)
          host.onExpiry = generator.once(in: 2) ? .enforce : generator.pick(ExpiryAction.allCases)
        }
        list.hosts.append(host)
      }
    }
    if generator.once(in: 8) { list.unpinnedHosts = .deny }
    list.hosts.sort { ($0.host.text, $0.port ?? 0) < ($1.host.text, $1.port ?? 0) }
    return list
  }

  /// All names of interest, two ports, before and after the expiries, and chains of every kind.
  private static func connections(_ list: PinList) throws -> [Connection] {
    let hosts = ["example.com", "api.example.com", "v1.api.example.com", "x.v1.api.example.com", "x.www.example.com"]
    let stranger = try PinListScene.pin(99)
    let pins = list.keys.map(\.pin)
    var chains = [[stranger, stranger, stranger]]
    for pin in pins {
      chains += [[pin, stranger, stranger], [stranger, pin, stranger], [stranger, stranger, pin]]
    }
    for pin in pins { chains += [[pin, stranger, pins[5]], [stranger, pin, pins[5]]] }
    // Before the expiries, earlier on the same day, and long after them.
    let instants =
      [0, 86_400 + 60].map { PinListScene.instant.adding(seconds: $0) } + [
        PinListScene.instant.adding(seconds: 400 * 86_400)
      ]
    return hosts.flatMap { host in
      [443, 8443].flatMap { port in
        instants.flatMap { instant in
          chains.map { Connection(host: host, port: port, chain: $0, instant: instant) }
        }
      }
    }
  }
}
