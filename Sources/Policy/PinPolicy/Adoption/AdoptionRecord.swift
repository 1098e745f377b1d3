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

extension AdoptionRecord {
  /// Reads a record that a path leads to; `-` is standard input.
  ///
  /// - Throws: ``WorkFailure`` if it can't be read, or isn't such a record.
  package static func read(path: String) throws(WorkFailure) -> AdoptionRecord {
    if ["http://", "https://"].contains(where: { path.hasPrefix($0) }) {
      throw WorkFailure(
        .usage, "pintle doesn't fetch '\(VisibleText.of(path))'",
        help:
          "Fetch it, and pass the file, or '-' for standard input: curl -fsS URL | pintle simulate --shares --adoption -"
      )
    }
    let bytes = try InputFile.read(path, limit: sizeLimit)
    do {
      return try AdoptionRecord(reading: bytes)
    } catch {
      throw WorkFailure(
        .failed, "'\(VisibleText.of(path))' isn't the adoption of a collector: \(error.message)",
        help: error.help ?? "Fetch it from the collector: curl -fsS 'https://COLLECTOR/v1/adoption?days=120'.")
    }
  }

  /// What is wrong with a record, as a clause, and what to do if it isn't to fetch it again.
  package struct Problem: Error, Hashable, Sendable {
    package let message: String
    package var help: String?
  }

  /// Reads a record: a function of its bytes alone.
  ///
  /// Fields that it doesn't know are ignored.
  package init(reading bytes: [UInt8]) throws(Problem) {
    var limits = LocatedJSON.Limits()
    (limits.bytes, limits.depth, limits.values, limits.textBytes) = (Self.sizeLimit, 8, 400_000, 4_096)
    let root: LocatedJSON.Value
    do { root = try LocatedJSON(bytes, limits: limits).root } catch { throw Problem(message: error.message) }
    guard root["type"]?.text == Self.format else { throw Problem(message: "its 'type' isn't '\(Self.format)'") }
    guard root["version"]?.text == nil, root["version"]?.written == "1" else {
      throw Problem(message: "its 'version' isn't 1, the only one that this pintle reads")
    }
    guard root["next"] == nil else {
      // A part could leave out the very clients that matter.
      throw Problem(
        message: "it is only a part: the collector has more rows",
        help: "Ask the collector for fewer days, or for one audience: /v1/adoption?days=30&audience=production.")
    }
    guard let measured = root["measured"]?.text.flatMap({ Instant($0.utf8) }) else {
      throw Problem(message: "'measured' isn't a time in UTC, such as 2027-06-01T12:00:00Z")
    }
    guard let items = root["rows"]?.items else { throw Problem(message: "'rows' isn't a list") }
    var rows: [Row] = []
    var seen: Set<Row> = []
    for item in items {
      var row = try Self.row(item)
      guard Instant(secondsSinceEpoch: row.day * 86_400) <= measured else {
        throw Problem(message: "line \(item.place.start.line): 'day' is later than 'measured'")
      }
      let senders = row.senders
      row.senders = 0
      guard seen.insert(row).inserted else {
        throw Problem(message: "line \(item.place.start.line): the same row is listed twice")
      }
      row.senders = senders
      rows.append(row)
    }
    self.init(measured: measured, rows: rows)
  }

  private static func row(_ item: LocatedJSON.Value) throws(Problem) -> Row {
    func problem(_ field: StaticString, _ expected: String) -> Problem {
      Problem(message: "line \(item.place.start.line): '\(field)' isn't \(expected)")
    }
    func number(_ field: StaticString, _ range: ClosedRange<Int64>) throws(Problem) -> Int64 {
      guard let value = item[field], value.text == nil, let number = value.written.flatMap({ Int64($0) }),
        range.contains(number)
      else { throw problem(field, "a number from \(range.lowerBound) to \(range.upperBound)") }
      return number
    }
    guard item.members != nil else {
      throw Problem(message: "line \(item.place.start.line): \(item.noun) where an object should be")
    }
    guard let text = item["day"]?.text, text.utf8.count == 10, let day = Instant(written: text) else {
      throw problem("day", "a date, such as 2027-06-01")
    }
    var audience: String?
    if let value = item["audience"] {
      guard let text = value.text, !text.isEmpty, text.utf8.count <= 256 else {
        throw problem("audience", "a text of 1 to 256 bytes")
      }
      audience = text
    }
    _ = try number("decisions", 0...Int64.max)
    // Sums of all rows don't overflow.
    return Row(
      day: day.secondsSinceEpoch / 86_400, audience: audience, serial: try number("serial", 0...Int64.max),
      keysetVersion: item["keyset-version"] == nil ? nil : try number("keyset-version", 1...Int64.max),
      senders: try number("senders", 1...1_000_000_000_000))
  }
}
