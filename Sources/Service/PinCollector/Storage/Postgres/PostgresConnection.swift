#if Collector
import CLibPQ

/// A connection to a PostgreSQL server, which one thread uses at a time.
struct PostgresConnection: ~Copyable {
  private let connection: OpaquePointer
  /// The names of the statements that the server has prepared, by their text.
  private var prepared: [String: String] = [:]

  private init(takingOwnership connection: OpaquePointer) {
    self.connection = connection
  }

  /// Connects and logs in.
  ///
  /// - Parameter settings: What libpq takes: `host=… dbname=…`, or a `postgresql://` address. What isn't in it comes
  ///   from libpq's variables (`PGPASSWORD`, `PGSERVICE`, …) and its password file.
  /// - Returns: A connection that is logged in.
  /// - Throws: ``StorageError`` with the reason that libpq gives.
  static func open(_ settings: String) throws(StorageError) -> PostgresConnection {
    // A server that never answers must not block the thread forever. The settings come last, so they override these.
    let names = ["connect_timeout", "tcp_user_timeout", "keepalives_idle", "application_name", "dbname"]
    let values = ["10", "30000", "60", "pintle-collect", settings]
    let opened = withCStrings(names) { names in withCStrings(values) { PQconnectdbParams(names, $0, 1) } }
    guard let opened else { throw StorageError(.unavailable, "there is no memory for a connection") }
    let connection = PostgresConnection(takingOwnership: opened)
    guard connection.isAlive else { throw connection.failure(.unavailable) }
    // Notices are meant for a terminal.
    PQsetNoticeProcessor(opened, { _, _ in }, nil)
    // Swift's strings are UTF-8, whatever the environment or the database is set to.
    _ = try connection.execute("SET client_encoding = 'UTF8'")
    // The server cancels statements that take longer, or wait for a lock for longer.
    _ = try connection.execute("SET statement_timeout = '30s'")
    return connection
  }

  deinit { PQfinish(connection) }

  /// Whether the server is still there, as far as is known.
  var isAlive: Bool { PQstatus(connection) == CONNECTION_OK }

  /// Runs a statement without parameters, such as `BEGIN`.
  func execute(_ statement: String) throws(StorageError) -> [SQLRow] {
    try PostgresResult(PQexec(connection, statement)).rows { failure($0) }
  }

  /// Runs a statement, which the server prepares at its first use.
  mutating func execute(_ statement: String, _ values: [SQLValue]) throws(StorageError) -> [SQLRow] {
    let parameters = PostgresParameters(values)
    let name = try prepare(statement)
    let result = parameters.withPointers { values, lengths, formats in
      PQexecPrepared(connection, name, Int32(parameters.count), values, lengths, formats, 1)
    }
    return try PostgresResult(result).rows { failure($0) }
  }

  private mutating func prepare(_ statement: String) throws(StorageError) -> String {
    if let name = prepared[statement] { return name }
    let name = "s\(prepared.count)"
    _ = try PostgresResult(PQprepare(connection, name, statement, 0, nil)).rows { failure($0) }
    prepared[statement] = name
    return name
  }

  private func failure(_ code: StorageError.Code) -> StorageError {
    let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
    let line = text.split(separator: "\n").first.map(String.init) ?? "the server gives no reason"
    return StorageError(isAlive ? code : .unavailable, "PostgreSQL: \(line)")
  }
}

/// Lends strings as a list of C strings that ends with nil.
private func withCStrings<Answer>(
  _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Answer
) -> Answer {
  let copies = strings.map { Array($0.utf8CString) }
  // All values in one block, so that the pointers are valid during the call.
  let block = copies.flatMap { $0 }
  return block.withUnsafeBufferPointer { block in
    var offset = 0
    var pointers: [UnsafePointer<CChar>?] = []
    for copy in copies {
      pointers.append(block.baseAddress.map { $0 + offset })
      offset += copy.count
    }
    return (pointers + [nil]).withUnsafeBufferPointer { body($0.baseAddress) }
  }
}
#endif
