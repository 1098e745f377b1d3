#if Collector
import Logging
import PinFormat
import Synchronization
import Testing

@testable import PinCollector

/// Whether a collector can store reports, for balancers; and who has which budget of questions.
@Suite struct ReadinessTests {
  /// A database that answers, and stores nothing while it has a failure: all that is written, or only reports.
  private final class FullDatabase: SQLDatabase {
    let dialect = SQLDialect.sqlite
    let isFull = Mutex(true)

    func write<Answer: Sendable>(
      _ body: @escaping @Sendable (SQLSession) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
      if isFull.withLock({ $0 }) { throw StorageError(.full, "database or disk is full") }
      return try await read(body)
    }

    func read<Answer: Sendable>(
      _ body: @escaping @Sendable (SQLSession) throws(StorageError) -> Answer
    ) async throws(StorageError) -> Answer {
      try body(SQLSession { (_, _) throws(StorageError) in [] })
    }

    func close() async {}
  }

  private static func problem(of health: Health) async -> String? {
    do throws(StorageError) { try await health.check() } catch { return Problem.storage(error).message }
    return nil
  }

  private static func intake(_ store: CollectorStore, now: @escaping @Sendable () -> Instant) -> Intake {
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return Intake(store: store, forward: nil, limit: 10, refusals: Refusals(), logger: logger, now: now)
  }

  @Test func aDatabaseThatAnswersAndIsFullIsNotReady() async throws {
    let database = FullDatabase()
    let store = CollectorStore(database: database, limits: StorageLimits())
    let intake = Self.intake(store) { Samples.now }
    let uptime = Mutex(0.0)
    let clock = { @Sendable in uptime.withLock { $0 } }
    let health = Health(uptime: clock) { () throws(StorageError) in try await store.checkReading() }
    let readiness = Health(uptime: clock) { () throws(StorageError) in try await intake.checkReady() }
    #expect(await Self.problem(of: health) == nil)
    #expect(await Self.problem(of: readiness) == "disk full, or the database has its largest size")
    database.isFull.withLock { $0 = false }
    // Tried once a second, however often it is asked.
    #expect(await Self.problem(of: readiness) != nil)
    uptime.withLock { $0 = 1 }
    #expect(await Self.problem(of: readiness) == nil)
  }

  /// A file that has its largest size takes a number, and no report.
  @Test func whereReportsHaveNoRoomItIsNotReadyForAWhile() async throws {
    let database = try SQLiteDatabase(path: try Scratch().file("db"), maximumBytes: 1 << 20)
    let store = try await CollectorStore.open(database, StorageLimits())
    let seconds = Mutex<Int64>(0)
    let intake = Self.intake(store) { Samples.now.adding(seconds: seconds.withLock { $0 }) }
    try await intake.checkReady()
    let refused = await #expect(throws: IntakeError.self) {
      for number in 0..<2_000 {
        _ = try await intake.take(try Samples.arrival(Samples.rfc7469(host: "h\(number).test")))
      }
    }
    #expect(refused == .notStored)
    let error = await #expect(throws: StorageError.self) { try await intake.checkReady() }
    #expect(error?.code == .full)
    seconds.withLock { $0 = Intake.pause }
    try await intake.checkReady()
    await database.close()
  }

  @Test func readinessIsAsked() async throws {
    try await RunningCollector.run { collector async throws in
      let reply = try await collector.get("/readyz")
      #expect(reply.status == 200 && reply.body == "ok\n")
    }
  }

  /// Guesses from many addresses use up what strangers have together; it is not what a reader has
  /// (`collector-reader-starved`).
  @Test func strangersTakeNothingFromReaders() async throws {
    try await RunningCollector.run(change: {
      $0.readToken = "0123456789abcdef"
      $0.trustsForwarded = true
      $0.readRates = RateLimits(perAddress: 1, burstPerAddress: 3, overall: 1, burstOverall: 8)
    }) { collector async throws in
      func status(_ token: String?, _ address: String) async throws -> Int {
        let fields = token.map { [("authorization", "Bearer " + $0)] } ?? []
        return try await collector.get("/metrics", headers: fields + [("x-forwarded-for", address)]).status
      }
      var strangers: [Int] = []
      for number in 0..<20 {
        strangers.append(try await status(number.isMultiple(of: 2) ? "wrong" : nil, "192.0.2.\(number)"))
      }
      #expect(strangers.prefix(8).allSatisfy { $0 == 401 } && strangers.suffix(12).allSatisfy { $0 == 429 })
      // Also from an address that guessed before.
      for _ in 0..<3 { #expect(try await status("0123456789abcdef", "192.0.2.1") == 200) }
      #expect(try await status("0123456789abcdef", "192.0.2.1") == 429)
      #expect(try await status("0123456789abcdef", "192.0.2.2") == 200)
    }
  }

  @Test func withoutATokenAllHaveOneBudget() async throws {
    try await RunningCollector.run(change: {
      $0.readRates = RateLimits(perAddress: 1, burstPerAddress: 2)
    }) { collector async throws in
      for expected in [200, 200, 429] { #expect(try await collector.get("/metrics").status == expected) }
    }
  }
}
#endif
