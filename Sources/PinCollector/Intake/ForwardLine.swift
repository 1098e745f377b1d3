#if Collector
import Foundation
import PinFormat
import PinReports

/// A line of JSON for a log pipeline: what came in, by the names that the API has.
enum ForwardLine {
  /// The most bytes of a line, its end among them.
  static let longest = 65_536

  /// The line of what came in, with its end.
  static func bytes(of arrival: Arrival, at received: Instant) -> [UInt8] {
    var line = encode(arrival, received, isShort: false)
    if line.count > longest { line = encode(arrival, received, isShort: true) }
    return line
  }

  private struct Mismatch: Encodable {
    var type = "mismatch"
    var received: String
    var claimed: String
    var format, host, entry, subject, issuer: String
    var port: Int64
    var enforced: Bool?
    var reporter: String?
    var includesSubdomains: Bool
    var chain, knownPins: [String]
    var certificates: String?

    enum CodingKeys: String, CodingKey {
      case type, received, claimed, format, host, port, entry, enforced, reporter, chain, subject, issuer, certificates
      case includesSubdomains = "include-subdomains"
      case knownPins = "known-pins"
    }
  }

  /// One line would hold thousands of entries, so it holds what a pipeline can alarm on.
  private struct Aggregate: Encodable {
    var type = "aggregate"
    var received, id, reporter, day: String
    var serials: [Int64]
    var entries: Int
    var successes, reportOnlyMismatches, blocked: Int64
    var failing: [String]

    enum CodingKeys: String, CodingKey {
      case type, received, id, reporter, day, serials, entries, successes, blocked, failing
      case reportOnlyMismatches = "report-only-mismatches"
    }
  }

  private static func encode(_ arrival: Arrival, _ received: Instant, isShort: Bool) -> [UInt8] {
    switch arrival {
    case .mismatch(let sighting):
      return encode(
        Mismatch(
          received: received.description, claimed: sighting.claimed.description, format: sighting.format,
          host: sighting.host, entry: sighting.entry, subject: sighting.subject, issuer: sighting.issuer,
          port: sighting.port, enforced: sighting.isEnforced,
          reporter: sighting.reporter.isEmpty ? nil : sighting.reporter,
          includesSubdomains: sighting.includesSubdomains, chain: sighting.chain, knownPins: sighting.known,
          certificates: isShort ? nil : sighting.certificates))
    case .aggregate(report: let report, fingerprint: _, bytes: _):
      let failing = report.hosts.filter { $0.counts.blocked > 0 || $0.counts.reportOnlyMismatches > 0 }.map(\.entry)
      return encode(
        Aggregate(
          received: received.description, id: report.id, reporter: report.reporter,
          day: DayText.of(report.day.dayNumber), serials: report.manifests.map(\.serial), entries: report.hosts.count,
          successes: sum(report.hosts.map(\.counts.successes)),
          reportOnlyMismatches: sum(report.hosts.map(\.counts.reportOnlyMismatches)),
          blocked: sum(report.hosts.map(\.counts.blocked)), failing: Array(failing.prefix(isShort ? 0 : 200))))
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
