#if Collector
import Foundation
import PinFormat
import PinReports
import Testing

@testable import PinCollector

/// How many senders run which release, without knowing who they are.
@Suite struct AdoptionTests {
  typealias Use = AggregateReport.ManifestUse

  static func report(_ id: String, day: String = "2026-11-20", _ uses: Use...) throws -> Arrival {
    var report = Samples.aggregate(id: id, day: day, hosts: [])
    report.manifests = uses
    return try Samples.arrival(report.encoded())
  }

  static func production(_ serial: Int64, keyset: Int64? = nil, decisions: Int64 = 10) -> Use {
    Use(serial: serial, decisions: decisions, audience: "production", keysetVersion: keyset)
  }

  static func rows(
    _ store: CollectorStore, audience: String = "", days: Int64 = 30, _ page: PageRequest = .init(limit: 9, most: 9)
  ) async throws -> [String] {
    let since = Samples.now.dayNumber - days
    return try await store.adoption(audience: audience, since: since, at: Samples.now, page).rows.map {
      "\($0.day) \($0.audience ?? "-") \($0.serial) \($0.keysetVersion ?? 0): \($0.senders) \($0.decisions)"
    }
  }

  /// Parts of a day are one sender; of its manifests the newest counts, by keyset and then serial; each audience on its
  /// own.
  @Test(arguments: StorageKind.allCases)
  func aSenderCountsOnceADay(_ kind: StorageKind) async throws {
    let store = try await kind.make(try Scratch()).open()
    let moved = [Self.production(7, keyset: 2), Self.production(41, keyset: 1, decisions: 900)]
    _ = try await store.record(
      [
        try Self.report("aa-0", Self.production(42), Self.production(41)),
        try Self.report("aa-1", Self.production(42), Self.production(41)),
        try Self.report("bb-0", moved[0], moved[1]), try Self.report("cc-0", Self.production(41)),
        try Self.report("cc-0", day: "2026-11-19", Self.production(41)),
        try Self.report("dd-0", Self.production(42), Use(serial: 3, decisions: 4, audience: "payments")),
        try Self.report("ee-0", Use(serial: 40, decisions: 5)),
      ], at: Samples.now)
    #expect(
      try await Self.rows(store) == [
        "2026-11-20 - 40 0: 1 5", "2026-11-20 payments 3 0: 1 4", "2026-11-20 production 42 0: 2 20",
        "2026-11-20 production 41 0: 1 10", "2026-11-20 production 7 2: 1 10", "2026-11-19 production 41 0: 1 10",
      ])
    #expect(try await Self.rows(store, audience: "payments") == ["2026-11-20 payments 3 0: 1 4"])
    #expect(try await Self.rows(store, days: 1).count == 5)
    await store.database.close()
  }

  /// Of the day of one clock that is ahead there is nothing yet.
  @Test func aDayToComeIsNotCounted() async throws {
    let store = try await StorageKind.sqlite.make(try Scratch()).open()
    _ = try await store.record([try Self.report("aa-0", day: "2026-11-22", Self.production(99))], at: Samples.now)
    #expect(try await Self.rows(store) == [])
    await store.database.close()
  }

  @Test(arguments: StorageKind.allCases)
  func pagesFollowOneAnother(_ kind: StorageKind) async throws {
    let store = try await kind.make(try Scratch()).open()
    var arrivals: [Arrival] = []
    for (number, audience) in ["a", "a b", "z"].enumerated() {
      for (place, day) in ["2026-11-19", "2026-11-20"].enumerated() {
        for serial in Int64(1)...2 {
          for keyset in [nil, Int64(4)] {
            arrivals.append(
              try Self.report(
                "\(number)\(place)\(serial)\(keyset ?? 0)-0", day: day,
                Use(serial: serial, decisions: 1, audience: audience, keysetVersion: keyset)))
          }
        }
      }
    }
    _ = try await store.record(arrivals, at: Samples.now)
    let all = try await Self.rows(store, .init(limit: 100))
    #expect(all.count == 24)
    var (found, next): ([String], String?) = ([], nil)
    repeat {
      let page = PageRequest(after: next, limit: 5)
      found += try await Self.rows(store, page)
      next = try await store.adoption(audience: "", since: 0, at: Samples.now, page).next
    } while next != nil
    #expect(found == all)
    await store.database.close()
  }

  /// Nothing of a sender's `id` is kept, and two days of one `id` have nothing in common.
  @Test func noIdentifierIsKept() throws {
    var report = Samples.aggregate(id: "device-7-0")
    let first = Recorder.sender(of: report)
    report.id = "device-7-1"
    #expect(Recorder.sender(of: report) == first)
    report.id = "device-8-0"
    #expect(Recorder.sender(of: report) != first)
    report = Samples.aggregate(id: "device-7-0", day: "2026-11-19")
    #expect(Recorder.sender(of: report) != first)
    report = Samples.aggregate(id: "device-7-0", reporter: "shop")
    #expect(Recorder.sender(of: report) != first)
  }

  /// A database of the first version goes on: what it has is counted, and so is what comes.
  @Test(arguments: StorageKind.allCases)
  func tablesOfTheFirstVersionAreMigrated(_ kind: StorageKind) async throws {
    let storage = try kind.make(try Scratch())
    let old: any SQLDatabase =
      switch storage {
      case .sqlite(let path): try SQLiteDatabase(path: path, maximumBytes: 64 << 20)
      case .postgres(let settings): try PostgresDatabase(settings, connections: 1)
      }
    let dialect = old.dialect
    try await old.write { (session) throws(StorageError) in
      try session("CREATE TABLE collector_schema (version BIGINT NOT NULL)")
      for statement in Schema.versions[0](dialect) { try session(statement) }
      try session("INSERT INTO collector_schema (version) VALUES (1)")
      for (fingerprint, serial) in [(UInt8(1), Int64(41)), (2, 42)] {
        let id = try session(
          """
          INSERT INTO aggregates (fingerprint, reporter, day, not_pinned, lost, received, bytes)
          VALUES ($1, 'shop', $2, 0, 0, $3, 600) RETURNING id
          """, .bytes([fingerprint]), .integer(Samples.now.dayNumber - 1), .integer(Samples.now.secondsSinceEpoch)
        ).first?.integer(0)
        try session(
          "INSERT INTO manifests (aggregate, serial, decisions) VALUES ($1, $2, 5)", .integer(id ?? 0),
          .integer(serial))
      }
    }
    await old.close()
    let store = try await storage.open()
    #expect(try await Self.rows(store) == ["2026-11-20 - 42 0: 1 5", "2026-11-20 - 41 0: 1 5"])
    #expect(try await store.manifests(since: 0).manifests.map(\.serial) == [42, 41])
    _ = try await store.record([try Self.report("aa-0", Self.production(42))], at: Samples.now)
    #expect(try await Self.rows(store).count == 3)
    await store.database.close()
    // Once is enough.
    let again = try await storage.open()
    let versions = try await again.database.read { (session) throws(StorageError) in
      try session("SELECT version FROM collector_schema ORDER BY version")
    }
    #expect(versions.map { $0.integer(0) } == (1...Schema.versions.count).map(Int64.init))
    await again.database.close()
  }

  @Test func questionsAreLimitedAsOthersAre() async throws {
    try await RunningCollector.run(change: { $0.readToken = "0123456789abcdef" }) { collector async throws in
      let token = [("authorization", "Bearer 0123456789abcdef")]
      #expect(try await collector.get("/v1/adoption").status == 401)
      #expect(try await collector.get("/metrics").status == 401)
      #expect(try await collector.get("/v1/adoption?days=3651", headers: token).status == 400)
      #expect(try await collector.get("/v1/adoption?limit=10001", headers: token).status == 400)
      #expect(try await collector.get("/v1/adoption?audience=%00", headers: token).status == 400)
      #expect(try await collector.get("/v1/adoption?after=x&limit=1", headers: token).status == 200)
      #expect(try await collector.get("/metrics", headers: token).status == 200)
    }
  }

  /// Prometheus reads the metrics, whatever senders call an audience, and however many there are.
  @Test func metricsAreReadByPrometheus() async throws {
    let rates = RateLimits(perAddress: 1_000, burstPerAddress: 1_000)
    try await RunningCollector.run(change: { $0.rates = rates }) { collector async throws in
      func post(_ id: String, day: String, _ uses: [Use]) async throws {
        var report = Samples.aggregate(id: id, day: day, hosts: [])
        report.manifests = uses
        #expect(try await collector.post(report.encoded()).status == 204)
      }
      try await post("a-0", day: "2026-11-10", [Self.production(42)])
      for number in 0..<4 { try await post("b\(number)-0", day: "2026-11-20", [Self.production(42)]) }
      try await post("c-0", day: "2026-11-20", [Self.production(41)])
      try await post("d-0", day: "2026-11-20", [Use(serial: 1, decisions: 1, audience: #"q"u\o}te"#)])
      try Snapshot.check(try await collector.get("/metrics").body, "metrics.txt")
      for number in 0..<110 {
        try await post("e\(number)-0", day: "2026-11-20", [Use(serial: 1, decisions: 1, audience: "zz\(number)")])
      }
      let text = try await collector.get("/metrics").body
      #expect(text.contains("\npintle_adoption_unlisted_senders 13\n"))
      #expect(text.contains(#"pintle_adoption_senders{audience="production",serial="41"} 1"#))
      #expect(try Self.complaints(of: text) == "")
    }
  }

  /// What `promtool check metrics` says.
  private static func complaints(of text: String) throws -> String {
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["promtool", "check", "metrics"]
    (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
    try process.run()
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try input.fileHandleForWriting.close()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? said : said + "status \(process.terminationStatus)"
  }
}
#endif
