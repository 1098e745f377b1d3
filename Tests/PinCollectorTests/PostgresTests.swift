#if Collector
import Testing

@testable import PinCollector

/// What only PostgreSQL does: servers that restart, settings that are wrong, values that are parameters.
@Suite struct PostgresTests {
  @Test func aRestartOfTheServerIsSurvived() async throws {
    let server = try PostgresServer()
    let store = try await CollectorSettings.Storage.postgres(try server.database()).open()
    let arrival = try Samples.arrival(Samples.rfc7469())
    #expect(try await store.record([arrival], at: Samples.now) == [.new])
    try await server.stop()
    let error = await #expect(throws: StorageError.self) { try await store.record([arrival], at: Samples.now) }
    #expect(error?.code == .unavailable)
    try server.start()
    for number in 0..<4 {
      let another = try Samples.arrival(Samples.rfc7469(adding: ["number": number]))
      #expect(try await store.record([another, arrival], at: Samples.now) == [.counted, .repeated])
    }
    #expect(try await store.status(refused: [:]).received.reports == 5)
    await store.database.close()
    try await server.stop()
  }

  @Test(arguments: ["host=127.0.0.1 port=1 dbname=x", "no settings", "postgresql://127.0.0.1:1/x"])
  func wrongSettingsAreSaidAtOnce(_ settings: String) throws {
    let error = #expect(throws: StorageError.self) { try PostgresDatabase(settings) }
    #expect(error?.code == .unavailable)
    #expect(error?.message.hasPrefix("PostgreSQL: ") == true)
  }

  @Test(arguments: StorageKind.allCases)
  func valuesStayValues(_ kind: StorageKind) async throws {
    let store = try await kind.make(try Scratch()).open()
    let texts = ["'; DROP TABLE totals; --", "", "日本語\n\t\"\\", "$1", String(repeating: "x", count: 10_000)]
    for text in texts {
      let rows = try await store.database.read { (session) throws(StorageError) in
        try session(
          "SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS TEXT)", .text(text),
          .integer(.min), .integer(.max), .null)
      }
      #expect(rows.first?.values == [.text(text), .integer(.min), .integer(.max), .null])
    }
    await store.database.close()
  }

  @Test(arguments: StorageKind.allCases)
  func aTransactionIsAllOrNothing(_ kind: StorageKind) async throws {
    let store = try await kind.make(try Scratch()).open()
    await #expect(throws: StorageError.self) {
      try await store.database.write { (session) throws(StorageError) in
        try session.add(5, to: .reports)
        _ = try session("SELECT nothing FROM nowhere")
      }
    }
    #expect(try await store.status(refused: [:]).received.reports == 0)
    await store.database.close()
  }
}
#endif
