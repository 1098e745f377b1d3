#if Collector
import AsyncHTTPClient
import Foundation
import Glibc
import Testing

@testable import PinCollector

/// The program is stopped while reports come in, and several of it share a database.
@Suite struct ShutdownTests {
  /// A report that was answered as stored can be found; without an answer, the client sends it again.
  @Test(arguments: StorageKind.allCases)
  func whatWasAcceptedIsStored(_ kind: StorageKind) async throws {
    let storage = try kind.make(try Scratch())
    let program = try Self.start(storage)
    let port = try await ProgramTests.port(of: program)
    let accepted = Locked<[String]>([])
    try await Self.withClient { client async throws in
      let collector = RunningCollector(port: port, client: client)
      await withTaskGroup { group in
        for sender in 0..<6 {
          group.addTask {
            // Until the program has ended; the 30th answer asks it to end.
            for number in 0..<10_000 {
              let host = "h\(sender)-\(number).test"
              guard (try? await collector.post(Samples.rfc7469(host: host)).status) == 204 else { return }
              accepted.change { accepted in
                accepted.append(host)
                if accepted.count == 30 { program.signal(SIGTERM) }
              }
            }
          }
        }
      }
    }
    #expect(try await program.status() == 0)
    #expect(accepted.value.count >= 30)
    let stored = try await Self.reports(in: storage)
    #expect(Set(accepted.value).subtracting(stored.keys).isEmpty)
    // At most one report of each sender was stored without an answer.
    #expect(stored.count <= accepted.value.count + 6 && stored.values.allSatisfy { $0 == 1 })
  }

  /// Killed four times while reports come in, it loses none and counts none twice: senders repeat what wasn't answered.
  ///
  /// Each has been forwarded, once or more often, with one digest.
  @Test(arguments: StorageKind.allCases)
  func afterAKillEachReportIsCountedOnce(_ kind: StorageKind) async throws {
    let scratch = try Scratch()
    let storage = try kind.make(scratch)
    let forward = ["--forward", scratch.file("lines")]
    var program = try Self.start(storage, forward)
    let port = Locked(try await ProgramTests.port(of: program))
    let accepted = Locked(Set<String>())
    try await Self.withClient { client async throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for sender in 0..<6 {
          group.addTask {
            for number in 0..<40 {
              let host = "h\(sender)-\(number).test"
              let report = try Samples.rfc7469(host: host)
              try await Self.wait {
                let collector = RunningCollector(port: port.value, client: client)
                return (try? await collector.post(report).status) == 204
              }
              accepted.change { _ = $0.insert(host) }
            }
          }
        }
        for kill in 1...4 {
          try await Self.wait { accepted.value.count >= kill * 40 }
          program.signal(SIGKILL)
          _ = try await program.status()
          program = try Self.start(storage, forward)
          port.set(try await ProgramTests.port(of: program))
        }
        try await group.waitForAll()
      }
    }
    program.signal(SIGTERM)
    #expect(try await program.status() == 0)
    #expect(try await Self.reports(in: storage) == Dictionary(uniqueKeysWithValues: accepted.value.map { ($0, 1) }))
    var digests: [String: String] = [:]
    for line in scratch.read("lines").split(separator: "\n") {
      let value = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      let (host, digest) = (try #require(value["host"] as? String), try #require(value["digest"] as? String))
      #expect(digests.updateValue(digest, forKey: host) ?? digest == digest)
    }
    #expect(Set(digests.keys) == accepted.value && Set(digests.values).count == accepted.value.count)
    #expect(accepted.value.count == 240)
  }

  /// A report that waits for the database while the program is stopped is stored and answered.
  @Test func whatWaitsForTheDatabaseIsAnswered() async throws {
    let settings = try PostgresServer.shared.get().database()
    let program = try Self.start(.postgres(settings))
    let port = try await ProgramTests.port(of: program)
    let database = try PostgresDatabase(settings, connections: 2)
    let (releases, release) = AsyncStream.makeStream(of: Void.self)
    let (locks, locked) = AsyncStream.makeStream(of: Void.self)
    let held = Task {
      // A thread of the database waits, not one of the concurrency runtime.
      try await database.write { (session) throws(StorageError) in
        try session("LOCK TABLE mismatches IN ACCESS EXCLUSIVE MODE")
        locked.yield()
        let wait = DispatchSemaphore(value: 0)
        Task {
          _ = await releases.first { _ in true }
          wait.signal()
        }
        wait.wait()
      }
    }
    _ = await locks.first { _ in true }
    try await Self.withClient { client async throws in
      let collector = RunningCollector(port: port, client: client)
      async let reply = collector.post(Samples.rfc7469())
      try await Self.wait {
        try await database.read { (session) throws(StorageError) in
          try session("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'mismatches'::regclass")
        }.first?.integer(0) == 1
      }
      program.signal(SIGTERM)
      // New connections are rejected, but the open one is answered.
      try await Self.wait { (try? await collector.get("/healthz")) == nil }
      #expect(program.isRunning)
      release.yield()
      try await held.value
      #expect(try await reply.status == 204)
    }
    #expect(try await program.status() == 0)
    await database.close()
    #expect(try await Self.reports(in: .postgres(settings)) == ["api.example.com": 1])
  }

  /// Two make the tables at once and take the same reports; each is counted once.
  @Test func twoProcessesCountAsOne() async throws {
    let settings = try PostgresServer.shared.get().database()
    let programs = try (0..<2).map { _ in try Self.start(.postgres(settings)) }
    let ports = [try await ProgramTests.port(of: programs[0]), try await ProgramTests.port(of: programs[1])]
    try await Self.withClient { client async throws in
      await withTaskGroup { group in
        for sender in 0..<4 {
          group.addTask {
            let collector = RunningCollector(port: ports[sender % 2], client: client)
            for number in 0..<15 {
              let report = try? Samples.rfc7469(host: "h\(number % 5).test", adding: ["number": sender * 15 + number])
              let status = try? await collector.post(report ?? []).status
              #expect(status == 204)
            }
          }
        }
      }
    }
    for program in programs {
      program.signal(SIGTERM)
      #expect(try await program.status() == 0)
    }
    let each = Dictionary(uniqueKeysWithValues: (0..<5).map { ("h\($0).test", Int64(12)) })
    #expect(try await Self.reports(in: .postgres(settings)) == each)
    let store = try await CollectorSettings.Storage.postgres(settings).open()
    let status = try await store.status(refused: [:])
    #expect(status.received.reports == 60 && status.stored.mismatches == 5)
    await store.database.close()
  }

  /// A log pipeline that doesn't read keeps neither senders nor the end waiting.
  @Test func aPipelineThatDoesNotReadIsLeft() async throws {
    let scratch = try Scratch()
    let pipe = try FullPipe(scratch.file("pipe"))
    defer { pipe.close() }
    let program = try Self.start(.sqlite(path: scratch.file("db")), ["--forward", pipe.path])
    let port = try await ProgramTests.port(of: program)
    try await Self.withClient { client async throws in
      let collector = RunningCollector(port: port, client: client)
      for number in 0..<3 {
        #expect(try await collector.post(Samples.rfc7469(adding: ["number": number])).status == 204)
      }
      #expect(try await collector.get("/v1/status").body.contains(#""not-forwarded":3"#))
    }
    program.signal(SIGTERM)
    #expect(try await program.status() == 0)
    #expect(try await Self.reports(in: .sqlite(path: scratch.file("db"))) == ["api.example.com": 3])
  }

  private static func start(_ storage: CollectorSettings.Storage, _ more: [String] = []) throws -> Program {
    let place =
      switch storage {
      case .sqlite(let path): ["--database", path]
      case .postgres(let settings): ["--postgres", settings]
      }
    return try Program([ProgramTests.path, "--listen", "0", "--burst", "10000"] + place + more)
  }

  /// How many reports are stored of each host.
  private static func reports(in storage: CollectorSettings.Storage) async throws -> [String: Int64] {
    let store = try await storage.open()
    let rows = try await store.database.read { (session) throws(StorageError) in
      try session("SELECT host, reports FROM mismatches")
    }
    await store.database.close()
    return Dictionary(rows.map { ($0.text(0), $0.integer(1)) }) { $0 + $1 }
  }

  /// A client that says at once where nobody listens any more.
  static func withClient(_ body: (HTTPClient) async throws -> Void) async throws {
    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    var failure: (any Error)?
    do { try await body(client) } catch { failure = error }
    try await client.shutdown()
    if let failure { throw failure }
  }

  private static func wait(until isReady: () async throws -> Bool) async throws {
    for _ in 0..<3_000 {
      if try await isReady() { return }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw ProgramError(output: "it never came to that")
  }
}
#endif
