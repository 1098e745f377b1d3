#if Collector
import Foundation
import GRDB

/// The collector's own database: one SQLite file, with readers that never wait for the writer.
final class SQLiteDatabase: SQLDatabase {
  let dialect = SQLDialect.sqlite
  private let pool: DatabasePool

  /// Opens or makes a database.
  ///
  /// - Parameters:
  ///   - path: The file; its folder has to be there.
  ///   - maximumBytes: The most that the file may grow to, whatever it holds. SQLite itself refuses to write more.
  /// - Throws: ``StorageError`` where the file can't be opened, or isn't a database.
  init(path: String, maximumBytes: Int64) throws(StorageError) {
    var configuration = Configuration()
    configuration.label = "pintle-collect"
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 4
    configuration.prepareDatabase { database in
      let pageSize = try Int64.fetchOne(database, sql: "PRAGMA page_size") ?? 4_096
      // The write-ahead log is truncated to this size after a checkpoint.
      try database.execute(sql: "PRAGMA journal_size_limit = 4194304")
      guard !database.configuration.readonly else { return }
      try database.execute(sql: "PRAGMA max_page_count = \(max(256, maximumBytes / pageSize))")
    }
    do {
      pool = try DatabasePool(path: path, configuration: configuration)
      // Reports answered with 204 must survive a power loss. Set after opening, because the pool itself sets NORMAL.
      try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    } catch {
      throw Self.failure(error, "can't open '\(path)'")
    }
  }

  func write<Answer: Sendable>(
    _ body: @escaping @Sendable (SQLSession) throws(StorageError) -> Answer
  ) async throws(StorageError) -> Answer {
    do {
      return try await pool.write { try body(Self.session($0)) }
    } catch {
      throw Self.failure(error, "can't write")
    }
  }

  func read<Answer: Sendable>(
    _ body: @escaping @Sendable (SQLSession) throws(StorageError) -> Answer
  ) async throws(StorageError) -> Answer {
    do {
      return try await pool.read { try body(Self.session($0)) }
    } catch {
      throw Self.failure(error, "can't read")
    }
  }

  func close() async {
    // Connections that are still open end with the process; the file is consistent either way.
    try? pool.close()
  }

  private static func session(_ database: Database) -> SQLSession {
    SQLSession { (text, values) throws(StorageError) in
      do {
        let statement = try database.cachedStatement(sql: text)
        let arguments = StatementArguments(values.map(databaseValue))
        return try Row.fetchAll(statement, arguments: arguments).map(row)
      } catch {
        throw failure(error, "a statement failed")
      }
    }
  }

  private static func databaseValue(_ value: SQLValue) -> DatabaseValue {
    switch value {
    case .null: .null
    case .integer(let value): value.databaseValue
    case .text(let value): value.databaseValue
    case .bytes(let value): Data(value).databaseValue
    }
  }

  private static func row(_ row: Row) -> SQLRow {
    SQLRow(
      values: row.databaseValues.map { value in
        switch value.storage {
        case .null: .null
        case .int64(let value): .integer(value)
        case .double(let value): .integer(Int64(value))
        case .string(let value): .text(value)
        case .blob(let value): .bytes(Array(value))
        }
      })
  }

  private static func failure(_ error: any Error, _ what: String) -> StorageError {
    if let error = error as? StorageError { return error }
    guard let error = error as? DatabaseError else { return StorageError(.failed, "\(what): \(error)") }
    let message = "\(what): \(error.message ?? "SQLite says \(error.resultCode.rawValue)")"
    return switch error.resultCode {
    case .SQLITE_FULL: StorageError(.full, message)
    case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_IOERR, .SQLITE_CANTOPEN: StorageError(.unavailable, message)
    case .SQLITE_NOTADB, .SQLITE_CORRUPT: StorageError(.incompatible, message)
    default: StorageError(.failed, message)
    }
  }
}
#endif
