#if Collector
extension CollectorStore {
  /// What clients counted since a day, by entry and mode; those of one entry, or of all.
  func entries(entry: String, since day: Int64, _ page: PageRequest) async throws(StorageError) -> Answers.Entries {
    let (after, mode) = Self.split(page.after)
    var entries = try await database.read { (session) throws(StorageError) in
      let rows = try session(
        """
        \(Self.counts)
        WHERE e.day >= $1 AND (e.entry > $2 OR (e.entry = $2 AND e.mode > $3)) AND ($4 = '' OR e.entry = $4)
        GROUP BY e.entry, e.mode ORDER BY e.entry, e.mode LIMIT $5
        """, .integer(day), .text(after), .text(mode), .text(entry), .integer(Int64(page.limit + 1)))
      var entries: [Answers.Entry] = []
      for row in rows { entries.append(try Self.entry(row, since: day, session)) }
      return entries
    }
    let isLast = entries.count <= page.limit
    if !isLast { entries.removeLast() }
    return Answers.Entries(
      since: DayText.of(day), entries: entries, next: isLast ? nil : entries.last.map { "\($0.entry) \($0.mode)" })
  }

  /// What clients counted since a day: first the entries that block, then those that would.
  func urgentEntries(since day: Int64, limit: Int) async throws(StorageError) -> Answers.Entries {
    let entries = try await database.read { (session) throws(StorageError) in
      let rows = try session(
        """
        \(Self.counts) WHERE e.day >= $1 GROUP BY e.entry, e.mode
        ORDER BY CASE WHEN SUM(e.blocked) > 0 THEN 0 WHEN SUM(e.mismatches) > 0 THEN 1 ELSE 2 END, e.entry, e.mode
        LIMIT $2
        """, .integer(day), .integer(Int64(limit)))
      var entries: [Answers.Entry] = []
      for row in rows { entries.append(try Self.entry(row, since: day, session)) }
      return entries
    }
    return Answers.Entries(since: DayText.of(day), entries: entries, next: nil)
  }

  private static let counts = """
    SELECT e.entry, e.mode, CAST(SUM(e.successes) AS BIGINT), CAST(SUM(e.backup_matches) AS BIGINT),
      CAST(SUM(e.mismatches) AS BIGINT), CAST(SUM(e.blocked) AS BIGINT), COUNT(DISTINCT a.reporter),
      COUNT(DISTINCT e.day), MIN(e.day), MAX(e.day), MIN(e.first_failure), MAX(e.last_failure)
    FROM entries e JOIN aggregates a ON a.id = e.aggregate
    """

  /// Which manifests each client decided on, on the last day that it counted, if that was since a day.
  func manifests(since day: Int64) async throws(StorageError) -> Answers.Manifests {
    let rows = try await database.read { (session) throws(StorageError) in
      try session(
        """
        SELECT a.reporter, m.serial, CAST(SUM(m.decisions) AS BIGINT), a.day
        FROM aggregates a JOIN manifests m ON m.aggregate = a.id
        WHERE a.day >= $1 AND a.day = (SELECT MAX(b.day) FROM aggregates b WHERE b.reporter = a.reporter)
        GROUP BY a.reporter, m.serial, a.day ORDER BY a.reporter, m.serial DESC LIMIT 1000
        """, .integer(day))
    }
    return Answers.Manifests(
      manifests: rows.map {
        Answers.Manifest(
          reporter: $0.text(0), serial: $0.integer(1), decisions: $0.integer(2), day: DayText.of($0.integer(3)))
      })
  }

  /// How much is stored, and what was let go.
  func status(refused: [String: Int64]) async throws(StorageError) -> Answers.Status {
    let rows = try await database.read { (session) throws(StorageError) in
      try session("SELECT name, value FROM totals")
    }
    let sums = Dictionary(rows.map { ($0.text(0), $0.integer(1)) }, uniquingKeysWith: { $1 })
    func sum(_ total: Total) -> Int64 { sums[total.rawValue] ?? 0 }
    return Answers.Status(
      database: database.dialect.name,
      stored: Answers.Kept(
        mismatches: sum(.mismatchRows), mismatchBytes: sum(.mismatchBytes), aggregates: sum(.aggregateRows),
        aggregateBytes: sum(.aggregateBytes)),
      limits: Answers.Limits(
        mismatches: limits.mismatches, aggregates: limits.aggregates, bytes: limits.bytes, days: limits.days),
      dropped: Answers.Dropped(mismatches: sum(.droppedMismatches), aggregates: sum(.droppedAggregates)),
      received: Answers.Received(
        reports: sum(.reports), aggregates: sum(.aggregates), repeatedReports: sum(.repeatedReports),
        repeatedAggregates: sum(.repeated)),
      refused: refused)
  }

  private static func entry(_ row: SQLRow, since day: Int64, _ session: SQLSession) throws(StorageError)
    -> Answers.Entry
  {
    let name = SQLValue.text(row.text(0))
    let keys = try session(
      """
      SELECT pin, position, CAST(SUM(connections) AS BIGINT), MIN(first_seen), MAX(last_seen) FROM failing_keys
      WHERE entry = $1 AND day >= $2 GROUP BY pin, position ORDER BY 3 DESC, pin LIMIT 32
      """, name, .integer(day))
    let kinds = try session(
      """
      SELECT kind, code, CAST(SUM(connections) AS BIGINT) FROM failures WHERE entry = $1 AND day >= $2
      GROUP BY kind, code ORDER BY 3 DESC, kind, code LIMIT 32
      """, name, .integer(day))
    let isTrial = row.text(1) == "report-only"
    return Answers.Entry(
      entry: row.text(0), mode: row.text(1), successes: row.integer(2), backupMatches: row.integer(3),
      reportOnlyMismatches: row.integer(4), blocked: row.integer(5), reporters: row.integer(6), days: row.integer(7),
      firstDay: DayText.of(row.integer(8)), lastDay: DayText.of(row.integer(9)),
      firstFailure: row.optionalInteger(10).map { Moment($0) }, lastFailure: row.optionalInteger(11).map { Moment($0) },
      readiness: isTrial
        ? Readiness(successes: row.integer(2), failures: max(row.integer(4), row.integer(5)), days: row.integer(7))
        : nil,
      failingKeys: keys.map {
        Answers.FailingKey(
          pin: $0.text(0), position: $0.text(1), connections: $0.integer(2), first: Moment($0.integer(3)),
          last: Moment($0.integer(4)))
      },
      failures: kinds.map {
        Answers.Kind(
          kind: $0.text(0), code: $0.text(1).isEmpty ? nil : $0.text(1), connections: $0.integer(2))
      })
  }

  /// The entry and mode of `entry mode`.
  private static func split(_ after: String?) -> (String, String) {
    guard let after, let space = after.lastIndex(of: " ") else { return ("", "") }
    return (String(after[..<space]), String(after[after.index(after: space)...]))
  }
}
#endif
