#if Collector
/// A page of an answer: from where on, and how many.
struct PageRequest: Hashable, Sendable {
  /// The most that one page holds.
  static let most = 200

  /// What the last page gave as its `next`; nil for the first page.
  var after: String?
  var limit: Int

  init(after: String? = nil, limit: Int = 100, most: Int = Self.most) {
    self.after = after
    self.limit = min(max(1, limit), most)
  }
}

/// The order of the hosts on the page; the raw value is in its address.
enum HostOrder: String, CaseIterable {
  /// The last reported first.
  case last
  case host
  case keys
  case reports
  /// Failing the longest first.
  case since

  fileprivate var columns: String {
    switch self {
    case .last: "MAX(last_seen) DESC, host, port"
    case .host: "host, port"
    case .keys: "COUNT(DISTINCT pin) DESC, host, port"
    case .reports: "SUM(reports) DESC, host, port"
    case .since: "MIN(first_seen), host, port"
    }
  }
}

extension CollectorStore {
  /// The hosts of which mismatches were reported since a time, by name.
  func hosts(since: Int64, _ page: PageRequest) async throws(StorageError) -> Answers.Hosts {
    let (host, port) = Self.split(page.after)
    var hosts = try await database.read { (session) throws(StorageError) in
      try session(
        """
        SELECT host, port, CAST(SUM(reports) AS BIGINT), COUNT(DISTINCT pin), MIN(first_seen), MAX(last_seen)
        FROM mismatches WHERE last_seen >= $1 AND (host > $2 OR (host = $2 AND port > $3))
        GROUP BY host, port ORDER BY host, port LIMIT $4
        """, .integer(since), .text(host), .integer(port), .integer(Int64(page.limit + 1))
      ).map(Self.host)
    }
    let isLast = hosts.count <= page.limit
    if !isLast { hosts.removeLast() }
    return Answers.Hosts(hosts: hosts, next: isLast ? nil : hosts.last.map { "\($0.host):\($0.port)" })
  }

  /// The hosts that were reported since a time, in the order that a reader chose.
  func hosts(since: Int64, by order: HostOrder, limit: Int) async throws(StorageError) -> [Answers.Host] {
    try await database.read { (session) throws(StorageError) in
      try session(
        """
        SELECT host, port, CAST(SUM(reports) AS BIGINT), COUNT(DISTINCT pin), MIN(first_seen), MAX(last_seen)
        FROM mismatches WHERE last_seen >= $1 GROUP BY host, port ORDER BY \(order.columns) LIMIT $2
        """, .integer(since), .integer(Int64(limit))
      ).map(Self.host)
    }
  }

  /// The reports about a host, or about all; the last ones first.
  func failures(
    host: String, port: Int64?, since: Int64, _ page: PageRequest
  ) async throws(StorageError) -> Answers.Failures {
    let before = page.after.flatMap { Int64($0) } ?? .max
    var failures = try await database.read { (session) throws(StorageError) in
      let rows = try session(
        """
        SELECT \(Self.columns), '' FROM mismatches
        WHERE id < $1 AND last_seen >= $2 AND (host = $3 OR $3 = '') AND (port = $4 OR $4 = 0)
        ORDER BY id DESC LIMIT $5
        """, .integer(before), .integer(since), .text(host), .integer(port ?? 0), .integer(Int64(page.limit + 1)))
      return try Self.failures(rows, session)
    }
    let isLast = failures.count <= page.limit
    if !isLast { failures.removeLast() }
    return Answers.Failures(failures: failures, next: isLast ? nil : failures.last.map { "\($0.id)" })
  }

  /// One report, with its certificates.
  func failure(_ id: Int64) async throws(StorageError) -> Answers.Failure? {
    try await database.read { (session) throws(StorageError) in
      let rows = try session("SELECT \(Self.columns), certificates FROM mismatches WHERE id = $1", .integer(id))
      return try Self.failures(rows, session).first
    }
  }

  private static let columns = """
    id, host, port, entry, subdomains, format, enforced, reporter, chain, subject, issuer, known, reports, first_seen,
    last_seen, claimed, unreadable
    """

  private static func failures(_ rows: [SQLRow], _ session: SQLSession) throws(StorageError) -> [Answers.Failure] {
    var failures: [Answers.Failure] = []
    for row in rows {
      let days = try session(
        "SELECT day, reports FROM mismatch_days WHERE mismatch = $1 ORDER BY day DESC LIMIT 31",
        .integer(row.integer(0)))
      failures.append(
        Answers.Failure(
          id: row.integer(0), host: row.text(1), port: row.integer(2), entry: row.text(3),
          includesSubdomains: row.integer(4) != 0, format: row.text(5),
          enforced: row.optionalInteger(6).map { $0 != 0 },
          reporter: row.text(7).isEmpty ? nil : row.text(7), chain: words(row.text(8)),
          unreadable: row.integer(16) == 0 ? nil : row.integer(16), subject: row.text(9), issuer: row.text(10),
          knownPins: words(row.text(11)),
          reports: row.integer(12), firstSeen: Moment(row.integer(13)), lastSeen: Moment(row.integer(14)),
          claimed: Moment(row.integer(15)),
          days: days.map { Answers.Day(day: DayText.of($0.integer(0)), reports: $0.integer(1)) },
          certificates: row.text(17).isEmpty ? nil : row.text(17)))
    }
    return failures
  }

  private static func host(_ row: SQLRow) -> Answers.Host {
    Answers.Host(
      host: row.text(0), port: row.integer(1), reports: row.integer(2), keys: row.integer(3),
      firstSeen: Moment(row.integer(4)), lastSeen: Moment(row.integer(5)))
  }

  private static func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }

  /// The host and port of `host:port`.
  private static func split(_ after: String?) -> (String, Int64) {
    guard let after, let colon = after.lastIndex(of: ":"), let port = Int64(after[after.index(after: colon)...]) else {
      return ("", 0)
    }
    return (String(after[..<colon]), port)
  }
}
#endif
