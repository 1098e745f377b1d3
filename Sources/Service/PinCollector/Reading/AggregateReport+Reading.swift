import PinFormat
import PinReports

extension AggregateReport {
  private static let maximumFailures = 64

  /// Brings what a sender wrote into its meaning; every number is at least zero, and every list within its limit.
  init(_ raw: RawAggregate) throws(ReportReaderError) {
    guard raw.type == Self.mediaType else {
      throw ReportReaderError(.invalidValue, "the field 'type' isn't " + Self.mediaType)
    }
    guard raw.version == 1 else {
      throw ReportReaderError(.unsupportedVersion, "the field 'version' isn't 1, the only one that is known here")
    }
    guard raw.day.utf8.count == 10, let day = Instant(written: raw.day) else {
      throw ReportReaderError(.invalidValue, "the field 'day' is not a date")
    }
    guard !raw.id.isEmpty, raw.id.utf8.count <= 128, raw.id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw ReportReaderError(.invalidValue, "the field 'id' is empty, too long, or not one word of ASCII")
    }
    self.init(
      id: raw.id, reporter: try ReceivedMismatch.text(raw.reporter, "reporter"), day: day,
      manifests: try Self.list(raw.manifests, atMost: Self.maximumManifests, "manifests").map {
        manifest throws(ReportReaderError) in
        try ManifestUse(manifest)
      },
      hosts: try Self.list(raw.hosts, atMost: Self.maximumHosts, "hosts").map { host throws(ReportReaderError) in
        try Host(host)
      },
      otherHosts: try raw.otherHosts.map { counts throws(ReportReaderError) in try Counts(counts) } ?? Counts(),
      notPinned: try Self.count(raw.notPinned), ungoverned: try Self.failures(raw.ungoverned))
    for drop in try Self.list(raw.dropped, atMost: Self.maximumFailures, "dropped") {
      // An unknown reason comes from a newer client; the other reasons are still useful.
      guard let reason = DropReason(rawValue: drop.reason) else { continue }
      dropped[reason] = (dropped[reason] ?? 0).addingClamped(try Self.count(drop.count))
    }
  }

  static func list<Item>(_ items: [Item]?, atMost limit: Int, _ field: String) throws(ReportReaderError) -> [Item] {
    let items = items ?? []
    guard items.count <= limit else {
      throw ReportReaderError(.overLimit, "the field '" + field + "' has more than \(limit) items")
    }
    return items
  }

  static func count(_ number: Int64?) throws(ReportReaderError) -> Int64 {
    let number = number ?? 0
    guard number >= 0 else { throw ReportReaderError(.invalidValue, "a count is below zero") }
    return number
  }

  static func failures(_ raw: [RawAggregate.Failure]?) throws(ReportReaderError) -> [Failure] {
    try list(raw, atMost: maximumFailures, "failures").map { failure throws(ReportReaderError) in
      Failure(
        kind: try ReceivedMismatch.text(failure.kind, "kind"),
        code: try failure.code.map { code throws(ReportReaderError) in try ReceivedMismatch.text(code, "code") },
        count: try count(failure.count))
    }
  }

  static func instant(_ text: String, _ field: String) throws(ReportReaderError) -> Instant {
    guard let instant = Instant(anyRFC3339: text) else {
      throw ReportReaderError(.invalidValue, "the field '" + field + "' is not a date and time of RFC 3339")
    }
    return instant
  }
}

extension AggregateReport.ManifestUse {
  fileprivate init(_ raw: RawAggregate.ManifestUse) throws(ReportReaderError) {
    if let audience = raw.audience, AggregateReport.nameable(audience) == nil {
      throw ReportReaderError(.invalidValue, "the field 'audience' is empty, too long, or has control characters")
    }
    if let version = raw.keysetVersion, version < 1 {
      throw ReportReaderError(.invalidValue, "the field 'keyset-version' is below 1")
    }
    self.init(
      serial: try AggregateReport.count(raw.serial), decisions: try AggregateReport.count(raw.decisions),
      audience: raw.audience, keysetVersion: raw.keysetVersion)
  }
}

extension AggregateReport.Counts {
  fileprivate init(_ raw: RawAggregate.Counts) throws(ReportReaderError) {
    self.init(
      successes: try AggregateReport.count(raw.successes), backupMatches: try AggregateReport.count(raw.backupMatches),
      reportOnlyMismatches: try AggregateReport.count(raw.reportOnlyMismatches),
      failures: try AggregateReport.failures(raw.failures))
  }
}

extension AggregateReport.Host {
  fileprivate init(_ raw: RawAggregate.Host) throws(ReportReaderError) {
    guard let mode = Mode(rawValue: raw.mode) else {
      throw ReportReaderError(.invalidValue, "the field 'mode' is not a mode of host entries")
    }
    let entry = try ReceivedMismatch.text(raw.entry, "entry")
    guard !entry.isEmpty else { throw ReportReaderError(.invalidValue, "the field 'entry' is empty") }
    self.init(
      entry: entry, mode: mode, counts: try AggregateReport.Counts(raw.counts),
      failingPins: try AggregateReport.list(raw.failingPins, atMost: AggregateReport.maximumPins, "failing-pins").map {
        pin throws(ReportReaderError) in try AggregateReport.FailingPin(pin)
      },
      otherFailingPins: try AggregateReport.count(raw.otherFailingPins),
      firstFailure: try raw.firstFailure.map { text throws(ReportReaderError) in
        try AggregateReport.instant(text, "first-failure")
      },
      lastFailure: try raw.lastFailure.map { text throws(ReportReaderError) in
        try AggregateReport.instant(text, "last-failure")
      })
  }
}

extension AggregateReport.FailingPin {
  fileprivate init(_ raw: RawAggregate.FailingPin) throws(ReportReaderError) {
    guard let pin = try? Pin(raw.pin), let position = ChainPosition(rawValue: raw.position) else {
      throw ReportReaderError(.invalidValue, "the field 'failing-pins' has an entry that is not a pin with a position")
    }
    self.init(
      pin: pin, position: position, first: try AggregateReport.instant(raw.first, "first"),
      last: try AggregateReport.instant(raw.last, "last"), count: try AggregateReport.count(raw.count))
  }
}
