#if Collector
/// A thread with a connection of its own, which is made again whenever the server has gone.
final class PostgresWorker {
  private let settings: String
  private let queue: PostgresQueue
  private var connection: PostgresConnection?

  init(_ settings: String, _ queue: PostgresQueue) {
    self.settings = settings
    self.queue = queue
  }

  /// Works until the queue is closed.
  func run() {
    while let job = queue.next() { job(self) }
    connection = nil
    queue.workerEnded()
  }

  /// Runs a transaction; a second and a third time where the server was restarted meanwhile, or another transaction was
  /// in the way, and nothing of this one can have taken effect.
  func transaction<Answer>(
    _ begin: String, _ body: (SQLSession) throws(StorageError) -> Answer
  ) -> Result<Answer, StorageError> {
    var last = StorageError(.unavailable, "PostgreSQL: no connection")
    for _ in 1...3 {
      var isCommitting = false
      do throws(StorageError) {
        try connect()
        _ = try execute(begin)
        let answer = try body(SQLSession { (text, values) throws(StorageError) in try self.execute(text, values) })
        isCommitting = true
        _ = try execute("COMMIT")
        return .success(answer)
      } catch {
        last = error
        rollBack()
        // If a commit wasn't answered, it is unknown whether it took effect, so don't try again.
        if isCommitting || error.code != .unavailable { break }
      }
    }
    return .failure(last)
  }

  private func connect() throws(StorageError) {
    if let isAlive = isAlive, isAlive { return }
    connection = nil
    connection = try PostgresConnection.open(settings)
  }

  private var isAlive: Bool? {
    switch connection {
    case .some(let connection): connection.isAlive
    case nil: nil
    }
  }

  private func rollBack() {
    guard isAlive == true else { return }
    do throws(StorageError) { _ = try execute("ROLLBACK") } catch { connection = nil }
  }

  private func execute(_ statement: String) throws(StorageError) -> [SQLRow] {
    guard let rows = try connection?.execute(statement) else { throw StorageError(.unavailable, "no connection") }
    return rows
  }

  private func execute(_ statement: String, _ values: [SQLValue]) throws(StorageError) -> [SQLRow] {
    guard let rows = try connection?.execute(statement, values) else {
      throw StorageError(.unavailable, "no connection")
    }
    return rows
  }
}
#endif
