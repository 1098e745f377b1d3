import PinFormat

extension DayCounts {
  /// The reports on the day, each with the addresses that it is for.
  ///
  /// - Parameters:
  ///   - service: Whose connections they were.
  ///   - uris: Where everything goes; nil where each entry's counts go to the entry's own addresses.
  /// - Returns: The reports, in an order of their own.
  func reports(from service: ReportingService, to uris: [String]?) -> [(uris: [String], report: AggregateReport)] {
    let sorted = hosts.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    if let uris {
      return uris.isEmpty ? [] : [(uris, report(on: sorted.map { ($0.key, $0.value) }, from: service, part: 0))]
    }
    var recipients: [String: [Int]] = [:]
    for (index, host) in sorted.enumerated() {
      for uri in host.value.uris { recipients[uri, default: []].append(index) }
    }
    // Recipients of the same entries get the same report.
    var groups: [[Int]: [String]] = [:]
    for (uri, indexes) in recipients { groups[indexes, default: []].append(uri) }
    let inOrder = groups.map { ($0.value.sorted(), $0.key) }.sorted { $0.0.lexicographicallyPrecedes($1.0) }
    return inOrder.enumerated().map { part, group in
      (group.0, report(on: group.1.map { (sorted[$0].key, sorted[$0].value) }, from: service, part: part))
    }
  }

  private func report(
    on hosts: [(String, HostCounts)], from service: ReportingService, part: Int
  ) -> AggregateReport {
    let digits = String(name, radix: 16)
    let id = String(repeating: "0", count: 16 - digits.utf8.count) + digits + "-" + String(part)
    return AggregateReport(
      id: id, reporter: service.name, day: Instant(day: day),
      manifests: manifests.map { name, counts in
        AggregateReport.ManifestUse(
          serial: name.serial, decisions: counts.decisions, audience: name.audience,
          keysetVersion: counts.keysetVersion)
      }.sorted { ($0.serial, $0.audience ?? "") < ($1.serial, $1.audience ?? "") },
      hosts: hosts.map { $1.report(entry: $0) }, otherHosts: others.counts, notPinned: notPinned,
      ungoverned: AggregateReport.Failure.list(ungoverned), dropped: dropped)
  }
}

extension HostCounts {
  var counts: AggregateReport.Counts {
    AggregateReport.Counts(
      successes: successes, backupMatches: backupMatches, reportOnlyMismatches: reportOnlyMismatches,
      failures: AggregateReport.Failure.list(failures))
  }

  func report(entry: String) -> AggregateReport.Host {
    let seen = pins.map { place, sightings in
      AggregateReport.FailingPin(
        pin: place.pin, position: place.position, first: sightings.first, last: sightings.last, count: sightings.count)
    }
    return AggregateReport.Host(
      entry: entry, mode: mode, counts: counts,
      failingPins: seen.sorted {
        ($0.first, $0.position.place, $0.pin.digest) < ($1.first, $1.position.place, $1.pin.digest)
      },
      otherFailingPins: otherPins, firstFailure: firstFailure, lastFailure: lastFailure)
  }
}

extension AggregateReport.Failure {
  static func list(_ counts: [FailureNames: Int64]) -> [AggregateReport.Failure] {
    counts.sorted { $0.key < $1.key }.map {
      AggregateReport.Failure(kind: $0.key.kind, code: $0.key.code, count: $0.value)
    }
  }
}

extension ChainPosition {
  /// From the leaf upwards.
  fileprivate var place: Int {
    switch self {
    case .leaf: 0
    case .intermediate: 1
    case .root: 2
    }
  }
}
