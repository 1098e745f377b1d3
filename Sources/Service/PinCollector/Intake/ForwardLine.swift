#if Collector
import Foundation
import PinFormat
import PinReports

/// Lines of JSON for a log pipeline (`schemas/forward.schema.json`): what came in, by the names that the API has.
///
/// They say all that the collector's own answers need. A report that is sent again has lines with the same digest.
enum ForwardLine {
  /// The most bytes of a line, its end among them.
  static let longest = 65_536
  /// The most kinds of failures in one line, so that a line of an entry is never too long.
  static let mostFailures = 16

  /// The lines of what came in, each with its end: one for a mismatch; for daily counts one, and one for each entry.
  static func lines(of arrival: Arrival, at received: Instant) -> [[UInt8]] {
    switch arrival {
    case .mismatch(let sighting):
      return [fitting { encode(Mismatch(sighting, received, isShort: $0)) }]
    case .aggregate(let report, let fingerprint, bytes: _):
      let digest = Hex.encode(fingerprint)
      return [fitting { encode(Aggregate(report, digest, received, isShort: $0)) }]
        + Entry.all(of: report, digest, received).map { encode($0) }
    }
  }

  private static func fitting(_ line: (_ isShort: Bool) -> [UInt8]) -> [UInt8] {
    let long = line(false)
    return long.count > longest ? line(true) : long
  }

  private struct Mismatch: Encodable {
    var type = "mismatch"
    var received, digest, fingerprint, claimed, format, host, entry, subject, issuer: String
    var port: Int64
    var enforced: Bool?
    var reporter: String?
    var includesSubdomains: Bool
    var chain, knownPins: [String]
    var certificates: String?

    enum CodingKeys: String, CodingKey {
      case type, received, digest, fingerprint, claimed, format, host, port, entry, enforced, reporter, chain, subject,
        issuer, certificates
      case includesSubdomains = "include-subdomains"
      case knownPins = "known-pins"
    }

    init(_ sighting: Sighting, _ received: Instant, isShort: Bool) {
      self.received = received.description
      digest = Hex.encode(sighting.digest)
      fingerprint = Hex.encode(sighting.fingerprint)
      claimed = sighting.claimed.description
      format = sighting.format
      host = sighting.host
      entry = sighting.entry
      subject = sighting.subject
      issuer = sighting.issuer
      port = sighting.port
      enforced = sighting.isEnforced
      reporter = sighting.reporter.isEmpty ? nil : sighting.reporter
      includesSubdomains = sighting.includesSubdomains
      chain = sighting.chain
      knownPins = sighting.known
      certificates = isShort ? nil : sighting.certificates
    }
  }

  /// The sums of daily counts, which a pipeline can alarm on.
  private struct Aggregate: Encodable {
    var type = "aggregate"
    var received, digest, id, reporter, day: String
    /// The manifests, and in the same order how many connections were decided on each.
    var serials, decisions: [Int64]
    var entries: Int
    var successes, reportOnlyMismatches, blocked: Int64
    var failing: [String]

    enum CodingKeys: String, CodingKey {
      case type, received, digest, id, reporter, day, serials, decisions, entries, successes, blocked, failing
      case reportOnlyMismatches = "report-only-mismatches"
    }

    init(_ report: AggregateReport, _ digest: String, _ received: Instant, isShort: Bool) {
      self.received = received.description
      self.digest = digest
      id = report.id
      reporter = report.reporter
      day = DayText.of(report.day.dayNumber)
      serials = report.manifests.map(\.serial)
      decisions = report.manifests.map(\.decisions.asCount)
      entries = report.hosts.count
      successes = sum(report.hosts.map(\.counts.successes))
      reportOnlyMismatches = sum(report.hosts.map(\.counts.reportOnlyMismatches))
      blocked = sum(report.hosts.map(\.counts.blocked))
      let failing = report.hosts.filter { $0.counts.blocked > 0 || $0.counts.reportOnlyMismatches > 0 }.map(\.entry)
      self.failing = Array(failing.prefix(isShort ? 0 : 200))
    }
  }

  /// The counts of one entry, as they are stored.
  private struct Entry: Encodable {
    var type = "entry"
    var received, digest: String
    /// Which of the report's lines of entries it is, from 0.
    var part: Int
    var reporter, day, entry, mode: String
    var successes, backupMatches, reportOnlyMismatches, blocked: Int64
    var firstFailure, lastFailure: String?
    var failingKeys: [FailingKey]
    var failures: [Kind]

    struct FailingKey: Encodable {
      var pin, position, first, last: String
      var connections: Int64
    }

    struct Kind: Encodable {
      var kind: String
      var code: String?
      var connections: Int64
    }

    enum CodingKeys: String, CodingKey {
      case type, received, digest, part, reporter, day, entry, mode, successes, blocked, failures
      case backupMatches = "backup-matches"
      case reportOnlyMismatches = "report-only-mismatches"
      case firstFailure = "first-failure"
      case lastFailure = "last-failure"
      case failingKeys = "failing-keys"
    }

    /// The lines of all entries.
    ///
    /// Kinds of failures that are too many for one line get more lines, whose counts are 0.
    static func all(of report: AggregateReport, _ digest: String, _ received: Instant) -> [Entry] {
      let day = report.day.dayNumber
      var lines: [Entry] = []
      for host in report.hosts {
        let counts = host.counts
        var line = Entry(
          received: received.description, digest: digest, part: lines.count, reporter: report.reporter,
          day: DayText.of(day), entry: host.entry, mode: host.mode.rawValue, successes: counts.successes.asCount,
          backupMatches: counts.backupMatches.asCount, reportOnlyMismatches: counts.reportOnlyMismatches.asCount,
          blocked: counts.blocked.asCount, firstFailure: host.firstFailure?.within(day).description,
          lastFailure: host.lastFailure?.within(day).description,
          failingKeys: host.failingPins.map {
            FailingKey(
              pin: $0.pin.description, position: $0.position.rawValue, first: $0.first.within(day).description,
              last: $0.last.within(day).description, connections: $0.count.asCount)
          },
          failures: [])
        var failures = counts.failures.map { Kind(kind: $0.kind, code: $0.code, connections: $0.count.asCount) }[...]
        repeat {
          line.part = lines.count
          line.failures = Array(failures.prefix(mostFailures))
          failures = failures.dropFirst(mostFailures)
          lines.append(line)
          (line.successes, line.backupMatches, line.reportOnlyMismatches, line.blocked) = (0, 0, 0, 0)
          (line.firstFailure, line.lastFailure, line.failingKeys) = (nil, nil, [])
        } while !failures.isEmpty
      }
      return lines
    }
  }

  private static func encode(_ value: some Encodable) -> [UInt8] {
    guard let data = try? JSONText.encoder().encode(value) else { return [] }
    return ascii(String(decoding: data, as: UTF8.self)) + [UInt8(ascii: "\n")]
  }

  /// JSON in ASCII alone (RFC 8259 section 7).
  ///
  /// JSON itself escapes a line feed only: U+0085 and U+2028 end lines for some programs, U+009B steers terminals, and
  /// U+202E turns around what is behind it.
  private static func ascii(_ json: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for unit in json.utf16 {
      if unit < 0x7F {
        bytes.append(UInt8(truncatingIfNeeded: unit))
      } else {
        let digits = String(unit, radix: 16)
        bytes +=
          Array("\\u".utf8) + Array(repeating: UInt8(ascii: "0"), count: 4 - digits.utf8.count) + Array(digits.utf8)
      }
    }
    return bytes
  }

  private static func sum(_ values: [Int64]) -> Int64 {
    values.reduce(0) { sum, value in
      let (next, overflow) = sum.addingReportingOverflow(value)
      return overflow ? .max : next
    }
  }
}

/// How all JSON is written.
enum JSONText {
  /// Sorted names, so that the same answer has the same bytes.
  static func encoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
#endif
