extension AggregateReport {
  /// The report as it is sent, in no more bytes than these.
  ///
  /// Where it would be too long, failing pins are left out first, the latest of each entry; then entries are counted
  /// together, from the end of the list. Both are counted where they are left out, so that all sums stay right.
  ///
  /// - Parameter maximumBytes: The most bytes that the report may have.
  /// - Returns: The bytes; nil where it is too long even without pins and entries.
  public func encoded(maximumBytes: Int) -> [UInt8]? {
    var report = self
    for limit in [Self.maximumPins, 4, 1, 0] {
      for index in report.hosts.indices { report.hosts[index].keepPins(limit) }
      let bytes = report.encoded()
      if bytes.count <= maximumBytes { return bytes }
    }
    while !report.hosts.isEmpty {
      for host in report.hosts.suffix((report.hosts.count + 1) / 2) { report.otherHosts.add(host.counts) }
      report.hosts.removeLast((report.hosts.count + 1) / 2)
      let bytes = report.encoded()
      if bytes.count <= maximumBytes { return bytes }
    }
    return nil
  }
}

extension AggregateReport.Host {
  fileprivate mutating func keepPins(_ limit: Int) {
    for pin in failingPins.dropFirst(limit) { otherFailingPins.add(pin.count) }
    failingPins.removeLast(max(0, failingPins.count - limit))
  }
}

extension AggregateReport.Counts {
  /// Adds counts, failures by their kind and code.
  package mutating func add(_ other: AggregateReport.Counts) {
    successes.add(other.successes)
    backupMatches.add(other.backupMatches)
    reportOnlyMismatches.add(other.reportOnlyMismatches)
    var sums: [FailureNames: Int64] = [:]
    for failure in failures + other.failures {
      sums[FailureNames(kind: failure.kind, code: failure.code), default: 0].add(failure.count)
    }
    failures = AggregateReport.Failure.list(sums)
  }
}
