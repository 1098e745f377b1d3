#if Collector
/// A database that can run the collector's statements, which are the same text for all of them.
///
/// Statements name their parameters `$1`, `$2`, … in the order in which they first are in the text: so SQLite, to
/// which they are names, and PostgreSQL, to which they are numbers, mean the same.
protocol SQLDatabase: Sendable {
  /// What differs between databases where tables are made.
  var dialect: SQLDialect { get }

  /// Runs statements as one transaction, all or none of which takes effect. May run them more than once, if nothing of
  /// the earlier attempt took effect.
  func write<Answer: Sendable>(
    _ body: @escaping @Sendable (SQLSession) throws(StorageError) -> Answer
  ) async throws(StorageError) -> Answer

  /// Runs statements that change nothing, on one state of the database.
  func read<Answer: Sendable>(
    _ body: @escaping @Sendable (SQLSession) throws(StorageError) -> Answer
  ) async throws(StorageError) -> Answer

  /// Waits for what is being done and lets the database go.
  func close() async
}

/// One transaction, for as long as the function that was given it runs.
struct SQLSession {
  /// Runs a statement and answers its rows.
  let run: (_ statement: String, _ values: [SQLValue]) throws(StorageError) -> [SQLRow]

  @discardableResult
  func callAsFunction(_ statement: String, _ values: SQLValue...) throws(StorageError) -> [SQLRow] {
    try run(statement, values)
  }
}

/// What differs between databases where tables are made.
struct SQLDialect: Sendable {
  /// What people call the database.
  let name: String
  /// The type of a row's own number.
  let identity: String
  /// The type of bytes.
  let bytes: String
  /// A statement that keeps others from changing the tables until the transaction ends; nil where a transaction does.
  let lock: String?

  static let sqlite = SQLDialect(name: "SQLite", identity: "INTEGER PRIMARY KEY", bytes: "BLOB", lock: nil)
  static let postgres = SQLDialect(
    name: "PostgreSQL", identity: "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", bytes: "BYTEA",
    // Any fixed number that is used for nothing else: "pintle" in ASCII.
    lock: "SELECT CAST(pg_advisory_xact_lock(123597402762341) AS TEXT)")
}
#endif
