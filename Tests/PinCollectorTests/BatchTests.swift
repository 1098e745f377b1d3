#if Collector
import Logging
import Testing

@testable import PinCollector

/// What comes in while a transaction is on its way to the disk shares the next one, so that waiting for the disk costs
/// little.
@Suite struct BatchTests {
  @Test func whatWaitsIsStoredInOneTransaction() async throws {
    let opened = try await StorageKind.sqlite.make(try Scratch()).open()
    let database = HeldDatabase(opened.database)
    let intake = Intake(
      store: CollectorStore(database: database, limits: StorageLimits()), forward: nil, limit: 1_000,
      refusals: Refusals(), logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }),
      now: { Samples.now })
    try await withThrowingTaskGroup(of: Stored.self) { group in
      group.addTask { try await intake.take(try Samples.arrival(Samples.rfc7469(host: "first.test"))) }
      await database.waitForWrite()
      for number in 0..<100 {
        group.addTask { try await intake.take(try Samples.arrival(Samples.rfc7469(host: "h\(number).test"))) }
      }
      for _ in 0..<3_000 where await intake.backlog < 100 { try await Task.sleep(for: .milliseconds(10)) }
      #expect(await intake.backlog == 100)
      database.release()
      for try await stored in group { #expect(stored == .new) }
    }
    #expect(database.writes.value == 2)
    #expect(try await opened.status(refused: [:]).received.reports == 101)
    await opened.database.close()
  }
}

/// A database whose first transaction waits until it is let go.
private final class HeldDatabase: SQLDatabase {
  let writes = Locked(0)
  private let database: any SQLDatabase
  private let began = AsyncStream.makeStream(of: Void.self)
  private let released = AsyncStream.makeStream(of: Void.self)

  init(_ database: any SQLDatabase) { self.database = database }

  var dialect: SQLDialect { database.dialect }

  func waitForWrite() async { _ = await began.stream.first { _ in true } }

  func release() { released.continuation.yield() }

  func write<Answer: Sendable>(
    _ body: @escaping @Sendable (SQLSession) throws(StorageError) -> Answer
  ) async throws(StorageError) -> Answer {
    writes.change { $0 += 1 }
    if writes.value == 1 {
      began.continuation.yield()
      _ = await released.stream.first { _ in true }
    }
    return try await database.write(body)
  }

  func read<Answer: Sendable>(
    _ body: @escaping @Sendable (SQLSession) throws(StorageError) -> Answer
  ) async throws(StorageError) -> Answer {
    try await database.read(body)
  }

  func close() async { await database.close() }
}
#endif
