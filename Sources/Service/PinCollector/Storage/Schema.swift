#if Collector
/// The tables, and how they came to be: each version adds a step, and none is changed once it was released.
enum Schema {
  /// Brings the tables to this program's version, or refuses those of a later one.
  ///
  /// Several collectors may start at once on one database: the first does it, the others wait and find it done.
  static func migrate(_ session: SQLSession, _ dialect: SQLDialect) throws(StorageError) {
    if let lock = dialect.lock { try session(lock) }
    try session("CREATE TABLE IF NOT EXISTS collector_schema (version BIGINT NOT NULL)")
    let found = try session("SELECT COALESCE(MAX(version), 0) FROM collector_schema").first?.integer(0) ?? 0
    guard found <= Int64(versions.count) else {
      throw StorageError(
        .incompatible, "the database has version \(found) of the tables, this program knows \(versions.count)")
    }
    for (index, statements) in versions.enumerated().dropFirst(Int(max(0, found))) {
      for statement in statements(dialect) { try session(statement) }
      try session("INSERT INTO collector_schema (version) VALUES ($1)", .integer(Int64(index + 1)))
    }
  }

  static let versions: [@Sendable (SQLDialect) -> [String]] = [first, digests, adoption, unreadable]

  /// How many certificates of a report couldn't be read; 0 in rows of earlier versions, which didn't keep that.
  @Sendable private static func unreadable(_ dialect: SQLDialect) -> [String] {
    ["ALTER TABLE mismatches ADD COLUMN unreadable BIGINT NOT NULL DEFAULT 0"]
  }

  /// What adoption is counted by.
  ///
  /// `sender` is the same for all parts of a sender's day, and for nothing else: see ``Recorder/sender(of:)``. It is 0
  /// in rows of collectors of earlier versions, some of which may still run. No audience is an empty text, no keyset is
  /// version 0.
  @Sendable private static func adoption(_ dialect: SQLDialect) -> [String] {
    [
      "ALTER TABLE aggregates ADD COLUMN sender BIGINT NOT NULL DEFAULT 0",
      "ALTER TABLE manifests ADD COLUMN audience TEXT NOT NULL DEFAULT ''",
      "ALTER TABLE manifests ADD COLUMN keyset_version BIGINT NOT NULL DEFAULT 0",
      "CREATE INDEX aggregates_by_day ON aggregates (day)",
    ]
  }

  /// Times are seconds since 1970, days are days since then.
  @Sendable private static func first(_ dialect: SQLDialect) -> [String] {
    [
      // One row for equal reports. `bytes` is the size that the row and its days are counted with.
      """
      CREATE TABLE mismatches (
        id \(dialect.identity),
        fingerprint \(dialect.bytes) NOT NULL UNIQUE,
        host TEXT NOT NULL, port BIGINT NOT NULL, entry TEXT NOT NULL, subdomains BIGINT NOT NULL,
        format TEXT NOT NULL, enforced BIGINT, reporter TEXT NOT NULL,
        pin TEXT NOT NULL, subject TEXT NOT NULL, issuer TEXT NOT NULL,
        chain TEXT NOT NULL, known TEXT NOT NULL, certificates TEXT NOT NULL,
        bytes BIGINT NOT NULL, reports BIGINT NOT NULL, first_seen BIGINT NOT NULL, last_seen BIGINT NOT NULL,
        claimed BIGINT NOT NULL)
      """,
      "CREATE INDEX mismatches_by_age ON mismatches (last_seen, id)",
      "CREATE INDEX mismatches_by_host ON mismatches (host, port, last_seen)",
      """
      CREATE TABLE mismatch_days (
        mismatch BIGINT NOT NULL REFERENCES mismatches (id) ON DELETE CASCADE,
        day BIGINT NOT NULL, reports BIGINT NOT NULL, PRIMARY KEY (mismatch, day))
      """,
      // The counts of one client on one day.
      """
      CREATE TABLE aggregates (
        id \(dialect.identity),
        fingerprint \(dialect.bytes) NOT NULL UNIQUE,
        reporter TEXT NOT NULL, day BIGINT NOT NULL, not_pinned BIGINT NOT NULL, lost BIGINT NOT NULL,
        received BIGINT NOT NULL, bytes BIGINT NOT NULL)
      """,
      "CREATE INDEX aggregates_by_age ON aggregates (received, id)",
      "CREATE INDEX aggregates_by_reporter ON aggregates (reporter, day)",
      """
      CREATE TABLE manifests (
        aggregate BIGINT NOT NULL REFERENCES aggregates (id) ON DELETE CASCADE,
        serial BIGINT NOT NULL, decisions BIGINT NOT NULL)
      """,
      "CREATE INDEX manifests_by_aggregate ON manifests (aggregate)",
      """
      CREATE TABLE entries (
        aggregate BIGINT NOT NULL REFERENCES aggregates (id) ON DELETE CASCADE,
        day BIGINT NOT NULL, entry TEXT NOT NULL, mode TEXT NOT NULL, successes BIGINT NOT NULL,
        backup_matches BIGINT NOT NULL, mismatches BIGINT NOT NULL, blocked BIGINT NOT NULL,
        first_failure BIGINT, last_failure BIGINT)
      """,
      "CREATE INDEX entries_by_aggregate ON entries (aggregate)",
      "CREATE INDEX entries_by_day ON entries (day, entry)",
      """
      CREATE TABLE failing_keys (
        aggregate BIGINT NOT NULL REFERENCES aggregates (id) ON DELETE CASCADE,
        day BIGINT NOT NULL, entry TEXT NOT NULL, pin TEXT NOT NULL, position TEXT NOT NULL,
        first_seen BIGINT NOT NULL, last_seen BIGINT NOT NULL, connections BIGINT NOT NULL)
      """,
      "CREATE INDEX failing_keys_by_aggregate ON failing_keys (aggregate)",
      "CREATE INDEX failing_keys_by_entry ON failing_keys (entry, day)",
      """
      CREATE TABLE failures (
        aggregate BIGINT NOT NULL REFERENCES aggregates (id) ON DELETE CASCADE,
        day BIGINT NOT NULL, entry TEXT NOT NULL, kind TEXT NOT NULL, code TEXT NOT NULL, connections BIGINT NOT NULL)
      """,
      "CREATE INDEX failures_by_aggregate ON failures (aggregate)",
      "CREATE INDEX failures_by_entry ON failures (entry, day)",
      "CREATE TABLE totals (name TEXT PRIMARY KEY, value BIGINT NOT NULL)",
    ]
  }

  /// Which reports of mismatches were counted, so that one that is sent again isn't.
  @Sendable private static func digests(_ dialect: SQLDialect) -> [String] {
    [
      """
      CREATE TABLE digests (
        id \(dialect.identity), digest \(dialect.bytes) NOT NULL UNIQUE, received BIGINT NOT NULL)
      """
    ]
  }
}
#endif
