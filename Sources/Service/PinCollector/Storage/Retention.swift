#if Collector
import PinFormat

/// Lets go what is beyond the limits, the oldest first, and counts it.
struct Retention {
  let session: SQLSession

  /// Lets go so much that the limits hold, but not endlessly in one transaction; the next one goes on.
  func removeBeyond(_ limits: StorageLimits) throws(StorageError) {
    let sums = try totals()
    try shrink(
      "mismatches", "last_seen", rows: .mismatchRows, bytes: .mismatchBytes, dropped: .droppedMismatches, sums,
      most: limits.mismatches, limits.bytes)
    try shrink(
      "aggregates", "received", rows: .aggregateRows, bytes: .aggregateBytes, dropped: .droppedAggregates, sums,
      most: limits.aggregates, limits.bytes)
    try removeDigests(beyond: limits.digests, of: sums[Total.digestRows.rawValue] ?? 0)
  }

  /// Lets go what was last seen before the days that are kept.
  func removeOld(_ limits: StorageLimits, at now: Instant) throws(StorageError) {
    let limit = SQLValue.integer(now.adding(seconds: -limits.days * 86_400).secondsSinceEpoch)
    for (table, column, rows, bytes) in [
      ("mismatches", "last_seen", Total.mismatchRows, Total.mismatchBytes),
      ("aggregates", "received", .aggregateRows, .aggregateBytes),
    ] {
      let removed = try session("DELETE FROM \(table) WHERE \(column) < $1 RETURNING bytes", limit)
      try subtract(removed, rows, bytes)
    }
    let removed = try session("DELETE FROM digests WHERE received < $1 RETURNING id", limit)
    if !removed.isEmpty { try session.add(-Int64(removed.count), to: .digestRows) }
  }

  /// A transaction adds fewer than it may let go.
  private func removeDigests(beyond limit: Int64, of count: Int64) throws(StorageError) {
    guard count > limit else { return }
    let removed = try session(
      "DELETE FROM digests WHERE id IN (SELECT id FROM digests ORDER BY id LIMIT $1) RETURNING id",
      .integer(min(1_024, count - limit)))
    try session.add(-Int64(removed.count), to: .digestRows)
  }

  private func shrink(
    _ table: String, _ column: String, rows: Total, bytes: Total, dropped: Total, _ sums: [String: Int64],
    most mostRows: Int64, _ mostBytes: Int64
  ) throws(StorageError) {
    var (count, size) = (sums[rows.rawValue] ?? 0, sums[bytes.rawValue] ?? 0)
    for _ in 0..<64 where count > mostRows || size > mostBytes {
      // The share that is over the limit, if all rows are of a similar size; the next rounds remove the rest.
      let share = Double(max(0, size - mostBytes)) / Double(max(1, size))
      let step = min(1_024, max(1, count - mostRows, Int64(share * Double(count))))
      let removed = try session(
        """
        DELETE FROM \(table) WHERE id IN (SELECT id FROM \(table) ORDER BY \(column), id LIMIT $1) RETURNING bytes
        """, .integer(step))
      guard !removed.isEmpty else { return }
      count -= Int64(removed.count)
      size -= removed.reduce(0) { $0 + $1.integer(0) }
      try subtract(removed, rows, bytes)
      try session.add(Int64(removed.count), to: dropped)
    }
  }

  private func subtract(_ removed: [SQLRow], _ rows: Total, _ bytes: Total) throws(StorageError) {
    guard !removed.isEmpty else { return }
    try session.add(-Int64(removed.count), to: rows)
    try session.add(-removed.reduce(0) { $0 + $1.integer(0) }, to: bytes)
  }

  private func totals() throws(StorageError) -> [String: Int64] {
    let rows = try session("SELECT name, value FROM totals")
    return Dictionary(rows.map { ($0.text(0), $0.integer(1)) }, uniquingKeysWith: { $1 })
  }
}
#endif
