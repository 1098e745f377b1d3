package import Diagnostics
package import PinFormat

/// How many senders ran which release on each day, as the collector counted them (`/v1/adoption`).
///
/// Anybody can send counts, and who sends none isn't in it: it may make a wait longer, never shorter. Its format is
/// described by `schemas/collector.schema.json`.
package struct AdoptionRecord: Sendable {
  /// The senders of one day whose newest manifest is this one.
  package struct Row: Hashable, Sendable {
    /// Days since 1970-01-01.
    package var day: Int64
    /// Nil where they don't say it.
    package var audience: String?
    package var serial: Int64
    package var keysetVersion: Int64?
    package var senders: Int64

    package init(day: Int64, audience: String?, serial: Int64, keysetVersion: Int64? = nil, senders: Int64) {
      self.day = day
      self.audience = audience
      self.serial = serial
      self.keysetVersion = keysetVersion
      self.senders = senders
    }
  }

  static let format = "pintle-adoption"
  /// 10,000 rows, each with an audience of 256 bytes that are escaped, take less.
  static let sizeLimit = 32 << 20
  /// An older record says nothing about the clients of today, in seconds.
  package static let maximumAge: Int64 = 7 * 86_400

  package let measured: Instant
  package let rows: [Row]

  package init(measured: Instant, rows: [Row]) {
    self.measured = measured
    self.rows = rows
  }

  /// The audiences that senders name, those with the most senders first.
  package var audiences: [String] {
    var senders: [String: Int64] = [:]
    for row in rows {
      if let audience = row.audience { senders[audience, default: 0] += row.senders }
    }
    return senders.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
  }

  /// What was measured of one audience; nil of those that don't say theirs.
  package func adoption(of audience: String?) -> Adoption {
    var days: [Int64: [Int64: Int64]] = [:]
    for row in rows where row.audience == audience {
      days[row.day, default: [:]][row.serial, default: 0] += row.senders
    }
    return Adoption(measured: measured, days: days.map { Adoption.Day(number: $0, senders: $1) })
  }

  /// How old the record is at an instant, as a clause, if it is too old to say anything.
  package func age(at instant: Instant) -> String? {
    let age = instant.seconds(since: measured)
    return age > Self.maximumAge ? "it was measured on \(measured), \(age / 86_400) days ago" : nil
  }

  /// Refuses a record of a later time: what it says of clients isn't what they ran at that instant.
  ///
  /// A day is allowed for clocks that differ.
  package func require(notAfter instant: Instant, path: String) throws(WorkFailure) {
    guard measured > instant.adding(seconds: 86_400) else { return }
    throw WorkFailure(
      .failed, "'\(VisibleText.of(path))' was measured on \(measured), later than \(instant)",
      help: "Pass a time that isn't earlier to --at, or the adoption of that time.")
  }
}
