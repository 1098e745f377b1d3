#if Collector
import PinFormat

/// What was received, in a database.
struct CollectorStore: Sendable {
  let database: any SQLDatabase
  let limits: StorageLimits

  /// Brings the database's tables up to date.
  ///
  /// - Parameters:
  ///   - database: The database.
  ///   - limits: How much is kept in it.
  /// - Returns: The store.
  /// - Throws: ``StorageError`` where the tables can't be made, or are a later version's.
  static func open(_ database: any SQLDatabase, _ limits: StorageLimits) async throws(StorageError) -> CollectorStore {
    let dialect = database.dialect
    try await database.write { (session) throws(StorageError) in try Schema.migrate(session, dialect) }
    return CollectorStore(database: database, limits: limits)
  }

  /// Stores what came in, all of it or nothing, and lets go what is beyond the limits.
  ///
  /// - Parameters:
  ///   - arrivals: What came in.
  ///   - now: The time of arrival.
  /// - Returns: What became of each.
  /// - Throws: ``StorageError`` where none of it is stored.
  func record(_ arrivals: [Arrival], at now: Instant) async throws(StorageError) -> [Stored] {
    let limits = limits
    return try await database.write { (session) throws(StorageError) in
      var recorder = Recorder(session: session, now: now)
      var results = [Stored](repeating: .new, count: arrivals.count)
      // Always in the same order, so that two collectors that store the same reports can't deadlock: first all digests,
      // then all rows.
      let repeated = try recorder.repeated(among: arrivals)
      let order = arrivals.indices.sorted {
        arrivals[$0].fingerprint.lexicographicallyPrecedes(arrivals[$1].fingerprint)
      }
      for index in order {
        results[index] = repeated.contains(index) ? .repeated : try recorder.record(arrivals[index])
      }
      try recorder.finish(limits)
      return results
    }
  }

  /// Comes back where the database answers.
  func checkReading() async throws(StorageError) {
    _ = try await database.read { (session) throws(StorageError) in try session("SELECT 1") }
  }

  /// Comes back where the database stores something: a sum as it is.
  func checkWriting() async throws(StorageError) {
    try await database.write { (session) throws(StorageError) in _ = try session.add(0, to: .reports) }
  }

  /// Lets go what has become too old.
  func removeOld(at now: Instant) async throws(StorageError) {
    let limits = limits
    try await database.write { (session) throws(StorageError) in
      try Retention(session: session).removeOld(limits, at: now)
    }
  }
}

/// The names of running sums, which are kept because counting rows takes long.
enum Total: String, CaseIterable {
  case mismatchRows = "mismatch-rows"
  case mismatchBytes = "mismatch-bytes"
  case aggregateRows = "aggregate-rows"
  case aggregateBytes = "aggregate-bytes"
  /// Reports that were received, those that say the same among them.
  case reports
  /// Daily counts that were received.
  case aggregates
  /// Daily counts that were received again.
  case repeated
  /// Reports that were received again.
  case repeatedReports = "repeated-reports"
  /// Digests that are kept.
  case digestRows = "digest-rows"
  case droppedMismatches = "dropped-mismatches"
  case droppedAggregates = "dropped-aggregates"
}

extension SQLSession {
  /// Adds to a running sum and answers it.
  @discardableResult
  func add(_ amount: Int64, to total: Total) throws(StorageError) -> Int64 {
    try self(
      """
      INSERT INTO totals (name, value) VALUES ($1, $2)
      ON CONFLICT (name) DO UPDATE SET value = totals.value + excluded.value RETURNING value
      """, .text(total.rawValue), .integer(amount)
    ).first?.integer(0) ?? 0
  }
}
#endif
