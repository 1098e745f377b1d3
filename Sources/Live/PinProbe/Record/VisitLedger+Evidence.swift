package import PinFormat

extension VisitLedger {
  /// The record of what was visited, in the order that evidence has, whatever the order of the visits was.
  ///
  /// What wasn't asked to the end isn't in it: a visit without an outcome, an address without a visit, and a target
  /// without either an address or a reason for having none. Where addresses are known and none was asked to the end, what
  /// is missing beside them isn't such a reason.
  package func evidence(
    of targets: [ProbeTarget], at stops: [Stop], unresolved: [Int: Evidence.Failure], from begun: Instant,
    until ended: Instant, tool: String
  ) -> Evidence {
    let offers = stops.isEmpty ? 0 : visits.count / stops.count
    var addresses: [Int: [Evidence.Address]] = [:]
    var fingerprints: Set<SHA256Digest> = []
    for (number, stop) in stops.enumerated() {
      let made = visits[(number * offers)..<((number + 1) * offers)].compactMap(\.self)
      guard !made.isEmpty else { continue }
      for visit in made { fingerprints.formUnion(visit.served?.chain ?? []) }
      addresses[stop.target, default: []].append(
        Evidence.Address(address: stop.label, port: stop.port, visits: made.sorted { $0.offer < $1.offer }))
    }
    let known = Set(stops.map(\.target))
    let records = targets.enumerated().compactMap { number, target -> Evidence.Target? in
      let addresses = (addresses[number] ?? []).sorted(by: Self.precedes)
      guard !addresses.isEmpty || unresolved[number] != nil && !known.contains(number) else { return nil }
      return Evidence.Target(
        host: target.host, port: target.port, startTLS: target.startTLS, unresolved: unresolved[number],
        addresses: addresses)
    }
    return Evidence(
      begun: begun, ended: ended, isPartial: visits.contains { $0 == nil } || records.count < targets.count, tool: tool,
      certificates: certificates.records(of: fingerprints),
      targets: records.sorted { ($0.host, $0.port) < ($1.host, $1.port) })
  }

  private static func precedes(_ left: Evidence.Address, _ right: Evidence.Address) -> Bool {
    if left.address == right.address { return left.port < right.port }
    return left.address.utf8.lexicographicallyPrecedes(right.address.utf8)
  }
}
