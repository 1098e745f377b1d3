#if Collector
import Foundation

/// A PostgreSQL database that several collectors may share.
///
/// libpq waits for its server, so it is never called on an event loop or a thread of the concurrency runtime: a few
/// threads own one connection each and take work from a queue of bounded length.
final class PostgresDatabase: SQLDatabase {
  let dialect = SQLDialect.postgres
  private let queue: PostgresQueue

  /// Connects once, so that wrong settings are known at once, and starts the threads.
  ///
  /// - Parameters:
  ///   - settings: What libpq takes: `host=… dbname=…`, or a `postgresql://` address.
  ///   - connections: How many threads, each with a connection.
  ///   - waiting: How many transactions may wait for one of them.
  /// - Throws: ``StorageError`` with the reason that libpq gives.
  init(_ settings: String, connections: Int = 4, waiting: Int = 256) throws(StorageError) {
    _ = try PostgresConnection.open(settings)
    let queue = PostgresQueue(limit: waiting, workers: connections)
    self.queue = queue
    for number in 1...connections {
      let thread = Thread { PostgresWorker(settings, queue).run() }
      thread.name = "postgres-\(number)"
      thread.start()
    }
  }

  func write<Answer: Sendable>(
    _ body: @escaping @Sendable (SQLSession) throws(StorageError) -> Answer
  ) async throws(StorageError) -> Answer {
    try await transaction("BEGIN", body)
  }

  func read<Answer: Sendable>(
    _ body: @escaping @Sendable (SQLSession) throws(StorageError) -> Answer
  ) async throws(StorageError) -> Answer {
    try await transaction("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", body)
  }

  func close() async {
    await withCheckedContinuation { continuation in queue.close { continuation.resume() } }
  }

  private func transaction<Answer: Sendable>(
    _ begin: String, _ body: @escaping @Sendable (SQLSession) throws(StorageError) -> Answer
  ) async throws(StorageError) -> Answer {
    let result: Result<Answer, StorageError> = await withCheckedContinuation { continuation in
      let isTaken = queue.add { worker in
        continuation.resume(returning: worker.transaction(begin, body))
      }
      if !isTaken {
        continuation.resume(returning: .failure(StorageError(.unavailable, "too much waits for the database")))
      }
    }
    return try result.get()
  }
}
#endif
