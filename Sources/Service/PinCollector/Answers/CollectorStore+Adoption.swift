#if Collector
import PinFormat

extension PageRequest {
  /// The most rows about adoption on one page: small ones, which programs want all at once.
  static let mostAdoption = 10_000
}

extension CollectorStore {
  /// How many senders ran which release on each day of a time, the last days first; of one audience, or of all if it is
  /// empty.
  ///
  /// A sender is one service's counts of a day, in however many parts they come; it counts once for each audience, with
  /// its newest manifest. A day that hasn't come yet isn't counted, whatever a sender's clock says.
  func adoption(
    audience: String, since day: Int64, at now: Instant, _ page: PageRequest
  ) async throws(StorageError) -> Answers.Adoption {
    let after = AdoptionPlace(page.after)
    var rows = try await database.read { (session) throws(StorageError) in
      try session(
        """
        SELECT day, audience, serial, keyset_version, COUNT(*), CAST(SUM(decisions) AS BIGINT) FROM (
          SELECT a.day AS day, m.audience AS audience, m.serial AS serial, m.keyset_version AS keyset_version,
            m.decisions AS decisions, ROW_NUMBER() OVER (
              PARTITION BY a.day, a.sender, CASE WHEN a.sender = 0 THEN a.id ELSE 0 END, m.audience
              ORDER BY m.keyset_version DESC, m.serial DESC, m.decisions DESC) AS place
          FROM aggregates a JOIN manifests m ON m.aggregate = a.id
          WHERE a.day >= $1 AND a.day <= $2 AND ($3 = '' OR m.audience = $3)) newest
        WHERE place = 1 AND (day < $4 OR (day = $4 AND (audience > $5 OR (audience = $5 AND
          (serial < $6 OR (serial = $6 AND keyset_version < $7))))))
        GROUP BY day, audience, serial, keyset_version
        ORDER BY day DESC, audience, serial DESC, keyset_version DESC LIMIT $8
        """, .integer(day), .integer(now.dayNumber), .text(audience), .integer(after.day), .text(after.audience),
        .integer(after.serial), .integer(after.keysetVersion), .integer(Int64(page.limit + 1)))
    }
    let isLast = rows.count <= page.limit
    if !isLast { rows.removeLast() }
    return Answers.Adoption(
      measured: Moment(now.secondsSinceEpoch), since: DayText.of(day),
      rows: rows.map {
        Answers.AdoptionRow(
          day: DayText.of($0.integer(0)), audience: $0.text(1).isEmpty ? nil : $0.text(1), serial: $0.integer(2),
          keysetVersion: $0.integer(3) == 0 ? nil : $0.integer(3), senders: $0.integer(4), decisions: $0.integer(5))
      }, next: isLast ? nil : rows.last.map { AdoptionPlace($0).text })
  }

  /// The first day on which senders ran each release; at most so many releases, the first ones of all.
  func firstDays(
    until day: Int64, limit: Int
  ) async throws(StorageError) -> [(release: ReleaseName, day: Int64)] {
    let rows = try await database.read { (session) throws(StorageError) in
      try session(
        """
        SELECT m.audience, m.serial, MIN(a.day) FROM aggregates a JOIN manifests m ON m.aggregate = a.id
        WHERE a.day <= $1 GROUP BY m.audience, m.serial ORDER BY 3, m.audience, m.serial LIMIT $2
        """, .integer(day), .integer(Int64(limit)))
    }
    return rows.map { (ReleaseName(audience: $0.text(0), serial: $0.integer(1)), $0.integer(2)) }
  }
}

/// A release as senders name it.
struct ReleaseName: Hashable, Sendable {
  /// Empty where they don't say it.
  var audience: String
  var serial: Int64
}

/// Where a page about adoption ended: `2026-11-20`'s number, serial, keyset version, and the rest is the audience.
private struct AdoptionPlace {
  var day = Int64.max
  var serial = Int64.max
  var keysetVersion = Int64.max
  var audience = ""

  init(_ text: String?) {
    let parts = (text ?? "").split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, let day = Int64(parts[0]), let serial = Int64(parts[1]), let version = Int64(parts[2])
    else { return }
    (self.day, self.serial, keysetVersion, audience) = (day, serial, version, String(parts[3]))
  }

  init(_ row: SQLRow) {
    (day, audience, serial, keysetVersion) = (row.integer(0), row.text(1), row.integer(2), row.integer(3))
  }

  var text: String { "\(day) \(serial) \(keysetVersion) \(audience)" }
}
#endif
