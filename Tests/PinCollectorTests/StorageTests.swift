#if Collector
import Foundation
import PinFormat
import PinReports
import Testing

@testable import PinCollector

/// Both databases keep the same, forget the same, and answer the same.
@Suite struct StorageTests {
  @Test(arguments: StorageKind.allCases)
  func whatIsTheSameIsCountedOnce(_ kind: StorageKind) async throws {
    let store = try await kind.make(try Scratch()).open()
    let one = try Samples.arrival(Samples.rfc7469())
    let later = try Samples.arrival(Samples.rfc7469(at: "2026-11-21T08:00:00Z"))
    let other = try Samples.arrival(Samples.rfc7469(port: 8443))
    #expect(try await store.record([one, other, later], at: Samples.now) == [.new, .new, .counted])
    let nextDay = Samples.now.adding(seconds: 86_400)
    let again = try Samples.arrival(Samples.rfc7469(at: "2026-11-22T08:00:00Z"), at: nextDay)
    #expect(try await store.record([again], at: nextDay) == [.counted])
    let failure = try #require(
      try await store.failures(host: "api.example.com", port: 443, since: 0, PageRequest()).failures.first)
    #expect(failure.reports == 3)
    #expect(failure.firstSeen.instant == Samples.now)
    #expect(failure.lastSeen.instant == nextDay)
    #expect(failure.claimed.instant.description == "2026-11-21T08:00:00Z")
    #expect(failure.days.map(\.reports) == [1, 2])
    #expect(failure.days.map(\.day) == ["2026-11-22", "2026-11-21"])
    await store.database.close()
  }

  /// Three hosts, of which each order of the page begins with another one.
  @Test(arguments: StorageKind.allCases)
  func hostsAreInTheOrderThatAReaderChose(_ kind: StorageKind) async throws {
    let store = try await kind.make(try Scratch()).open()
    for (host, hours) in [("b.test", [0, 5]), ("a.test", [1, 2, 3]), ("c.test", [4, 6])] {
      for hour in hours {
        let arrival = try Samples.arrival(Samples.rfc7469(host: host, adding: ["number": hour]))
        _ = try await store.record([arrival], at: Samples.now.adding(seconds: Int64(hour) * 3_600))
      }
    }
    let expected: [HostOrder: [String]] = [
      .last: ["c.test", "b.test", "a.test"], .host: ["a.test", "b.test", "c.test"],
      .keys: ["a.test", "b.test", "c.test"], .reports: ["a.test", "b.test", "c.test"],
      .since: ["b.test", "a.test", "c.test"],
    ]
    for order in HostOrder.allCases {
      #expect(try await store.hosts(since: 0, by: order, limit: 3).map(\.host) == expected[order], "\(order)")
      #expect(try await store.hosts(since: 0, by: order, limit: 1).map(\.host) == expected[order].map { [$0[0]] })
    }
    await store.database.close()
  }

  /// What blocks is first, then what would, however late in the alphabet.
  @Test(arguments: StorageKind.allCases)
  func urgentEntriesAreFirst(_ kind: StorageKind) async throws {
    let store = try await kind.make(try Scratch()).open()
    let hosts: [AggregateReport.Host] = [
      .init(entry: "a.test", mode: .enforce, counts: .init(successes: 9)),
      .init(entry: "b.test", mode: .reportOnly, counts: .init(successes: 9)),
      .init(entry: "y.test", mode: .reportOnly, counts: .init(successes: 9, reportOnlyMismatches: 1)),
      .init(
        entry: "z.test", mode: .enforce, counts: .init(successes: 9, failures: [.init(kind: "mismatch", count: 1)])),
    ]
    _ = try await store.record([try Samples.arrival(Samples.aggregate(hosts: hosts).encoded())], at: Samples.now)
    let names = try await store.urgentEntries(since: 0, limit: 4).entries.map(\.entry)
    #expect(names == ["z.test", "y.test", "a.test", "b.test"])
    #expect(try await store.urgentEntries(since: 0, limit: 2).entries.map(\.entry) == ["z.test", "y.test"])
    await store.database.close()
  }

  @Test(arguments: StorageKind.allCases)
  func whatIsSentTwiceIsNotCountedTwice(_ kind: StorageKind) async throws {
    let store = try await kind.make(try Scratch()).open()
    let mismatch = try Samples.arrival(Samples.rfc7469())
    let arrival = try Samples.arrival(Samples.aggregate().encoded())
    #expect(try await store.record([mismatch, arrival, mismatch], at: Samples.now) == [.new, .new, .repeated])
    #expect(try await store.record([mismatch, arrival], at: Samples.now) == [.repeated, .repeated])
    #expect(try await store.hosts(since: 0, PageRequest()).hosts.map(\.reports) == [1])
    let entry = try #require(
      try await store.entries(entry: "api.example.com", since: 0, PageRequest()).entries.first)
    #expect(entry.successes == 900)
    let received = try await store.status(refused: [:]).received
    #expect(received == .init(reports: 1, aggregates: 1, repeatedReports: 2, repeatedAggregates: 1))
    await store.database.close()
  }

  @Test(arguments: StorageKind.allCases)
  func aRestartKeepsEverything(_ kind: StorageKind) async throws {
    let scratch = try Scratch()
    let storage = try kind.make(scratch)
    let first = try await storage.open()
    _ = try await first.record([try Samples.arrival(Samples.rfc7469())], at: Samples.now)
    await first.database.close()
    let second = try await storage.open()
    #expect(try await second.record([try Samples.arrival(Samples.rfc7469())], at: Samples.now) == [.repeated])
    #expect(try await second.status(refused: [:]).received.reports == 1)
    await second.database.close()
  }

  /// The tables of the first version, which a collector without digests left, are brought up to date.
  @Test(arguments: StorageKind.allCases)
  func olderTablesAreBroughtUpToDate(_ kind: StorageKind) async throws {
    let storage = try kind.make(try Scratch())
    let old = try await storage.open()
    _ = try await old.record([try Samples.arrival(Samples.rfc7469())], at: Samples.now)
    try await old.database.write { (session) throws(StorageError) in
      try session("DROP TABLE digests")
      try session("DROP INDEX aggregates_by_day")
      try session("ALTER TABLE aggregates DROP COLUMN sender")
      try session("ALTER TABLE mismatches DROP COLUMN unreadable")
      for column in ["audience", "keyset_version"] { try session("ALTER TABLE manifests DROP COLUMN \(column)") }
      try session("DELETE FROM collector_schema WHERE version > 1")
      try session("DELETE FROM totals WHERE name = 'digest-rows'")
    }
    await old.database.close()
    let store = try await storage.open()
    let later = try Samples.arrival(Samples.rfc7469(at: "2026-11-21T08:00:00Z"))
    #expect(try await store.record([later, later], at: Samples.now) == [.counted, .repeated])
    await store.database.close()
  }

  /// The digests are bounded: a report that is sent again after very many others is counted again, never lost.
  @Test(arguments: StorageKind.allCases)
  func digestsAreBounded(_ kind: StorageKind) async throws {
    let store = try await kind.make(try Scratch()).open(StorageLimits(mismatches: 64, days: 7))
    let arrivals = try (0..<200).map { try Samples.arrival(Samples.rfc7469(adding: ["number": $0])) }
    for arrival in arrivals { _ = try await store.record([arrival], at: Samples.now) }
    #expect(try await digests(store) == 64)
    #expect(try await store.record([arrivals[199], arrivals[0]], at: Samples.now) == [.repeated, .counted])
    try await store.removeOld(at: Samples.now.adding(seconds: 8 * 86_400))
    #expect(try await digests(store) == 0)
    #expect(try await store.record([arrivals[199]], at: Samples.now) == [.new])
    await store.database.close()
  }

  private func digests(_ store: CollectorStore) async throws -> Int64? {
    try await store.database.read { (session) throws(StorageError) in
      try session("SELECT COUNT(*) FROM digests")
    }.first?.integer(0)
  }

  /// What was answered survives a loss of power: the connection that writes waits for the disk at each commit.
  @Test func eachCommitIsOnTheDisk() async throws {
    let store = try await StorageKind.sqlite.make(try Scratch()).open()
    let pragmas = try await store.database.write { (session) throws(StorageError) in
      [try session("PRAGMA synchronous"), try session("PRAGMA journal_mode")].compactMap(\.first)
    }
    // 2 is FULL.
    #expect(pragmas.map(\.values) == [[.integer(2)], [.text("wal")]])
    await store.database.close()
    let settings = try PostgresServer.shared.get().database()
    let postgres = try PostgresDatabase(settings, connections: 1)
    let commit = try await postgres.write { (session) throws(StorageError) in
      try session("SELECT CAST(current_setting('synchronous_commit') AS TEXT)")
    }
    #expect(commit.first?.text(0) == "on")
    await postgres.close()
  }

  @Test(arguments: StorageKind.allCases)
  func theOldestGoFirstAndAreCounted(_ kind: StorageKind) async throws {
    let store = try await kind.make(try Scratch()).open(StorageLimits(mismatches: 3, aggregates: 2))
    for number in 0..<5 {
      let time = Samples.now.adding(seconds: Int64(number))
      _ = try await store.record([try Samples.arrival(Samples.rfc7469(host: "h\(number).test"))], at: time)
      _ = try await store.record([try Samples.arrival(Samples.aggregate(id: "a-\(number)").encoded())], at: time)
    }
    let hosts = try await store.hosts(since: 0, PageRequest()).hosts
    #expect(hosts.map(\.host) == ["h2.test", "h3.test", "h4.test"])
    let status = try await store.status(refused: [:])
    #expect(status.stored.mismatches == 3 && status.stored.aggregates == 2)
    #expect(status.dropped == .init(mismatches: 2, aggregates: 3))
    let rows = try await store.database.read { (session) throws(StorageError) in
      try session("SELECT (SELECT COUNT(*) FROM entries), (SELECT COUNT(*) FROM mismatch_days)")
    }
    #expect(rows.first?.integer(0) == 6 && rows.first?.integer(1) == 3)
    await store.database.close()
  }

  @Test(arguments: StorageKind.allCases)
  func bytesAreBounded(_ kind: StorageKind) async throws {
    let store = try await kind.make(try Scratch()).open(StorageLimits(bytes: 20_000))
    for number in 0..<40 {
      _ = try await store.record([try Samples.arrival(Samples.rfc7469(host: "h\(number).test"))], at: Samples.now)
    }
    let status = try await store.status(refused: [:])
    #expect(status.stored.mismatchBytes <= 20_000)
    #expect(status.stored.mismatches >= 3)
    #expect(status.stored.mismatches + status.dropped.mismatches == 40)
    await store.database.close()
  }

  /// What is kept is bounded by an estimate; the file's own bound has to lie above it, whatever is sent.
  @Test func aFloodNeverFillsTheFile() async throws {
    let store = try await StorageKind.sqlite.make(try Scratch()).open(
      StorageLimits(mismatches: .max, aggregates: .max, bytes: 400_000))
    let pins = try (0..<4).map { number in
      AggregateReport.FailingPin(
        pin: try Pin("sha256/" + Data(repeating: UInt8(number), count: 32).base64EncodedString()), position: .leaf,
        first: Samples.now, last: Samples.now, count: 1)
    }
    for round in 0..<12 {
      let small = try (0..<100).map { number in
        try Samples.arrival(Array(#"{"hostname":"h\#(number).r\#(round).test"}"#.utf8))
      }
      let hosts = (0..<40).map { number in
        AggregateReport.Host(
          entry: "h\(number)", mode: .enforce,
          counts: .init(failures: (0..<3).map { .init(kind: "k", code: "\($0)", count: 1) }),
          failingPins: number.isMultiple(of: 2) ? pins : [])
      }
      let wide = try Samples.arrival(Samples.aggregate(id: "a-\(round)", hosts: hosts).encoded())
      let narrow = try (0..<50).map { number in
        try Samples.arrival(Samples.aggregate(id: "b-\(round)-\(number)", hosts: []).encoded())
      }
      #expect(try await store.record(small + [wide] + narrow, at: Samples.now).count == 151)
    }
    let status = try await store.status(refused: [:])
    #expect(status.stored.mismatchBytes <= 400_000 && status.stored.aggregateBytes <= 400_000)
    #expect(status.dropped.mismatches > 0 && status.dropped.aggregates > 0)
    await store.database.close()
  }

  @Test func aFullFileIsSaidAndLosesNothing() async throws {
    let scratch = try Scratch()
    let database = try SQLiteDatabase(path: scratch.file("db"), maximumBytes: 1 << 20)
    let store = try await CollectorStore.open(database, StorageLimits())
    var stored: Int64 = 0
    let error = await #expect(throws: StorageError.self) {
      for number in 0..<2_000 {
        _ = try await store.record([try Samples.arrival(Samples.rfc7469(host: "h\(number).test"))], at: Samples.now)
        stored += 1
      }
    }
    #expect(error?.code == .full)
    #expect(stored > 50)
    #expect(try await store.status(refused: [:]).received.reports == stored)
    await database.close()
  }

  @Test(arguments: StorageKind.allCases)
  func whatIsTooOldGoes(_ kind: StorageKind) async throws {
    let store = try await kind.make(try Scratch()).open(StorageLimits(days: 10))
    _ = try await store.record([try Samples.arrival(Samples.rfc7469(host: "old.test"))], at: Samples.now)
    let later = Samples.now.adding(seconds: 9 * 86_400)
    _ = try await store.record([try Samples.arrival(Samples.rfc7469(host: "new.test"))], at: later)
    try await store.removeOld(at: later)
    #expect(try await store.status(refused: [:]).stored.mismatches == 2)
    try await store.removeOld(at: later.adding(seconds: 2 * 86_400))
    #expect(try await store.hosts(since: 0, PageRequest()).hosts.map(\.host) == ["new.test"])
    await store.database.close()
  }

  /// A sender may claim any number; sums of them never overflow.
  @Test(arguments: StorageKind.allCases)
  func noCountIsTooGreatForASum(_ kind: StorageKind) async throws {
    let store = try await kind.make(try Scratch()).open()
    for number in 0..<20 {
      let host = AggregateReport.Host(
        entry: "a.test", mode: .enforce,
        counts: .init(successes: .max, failures: [.init(kind: "mismatch", count: .max)]))
      let report = Samples.aggregate(id: "a-\(number)", serial: .max, hosts: [host])
      _ = try await store.record([try Samples.arrival(report.encoded())], at: Samples.now)
    }
    let entry = try #require(try await store.entries(entry: "", since: 0, PageRequest()).entries.first)
    #expect(entry.successes == 200_000_000_000)
    #expect(entry.blocked == 200_000_000_000)
    #expect(try await store.manifests(since: 0).manifests.first?.serial == .max)
    await store.database.close()
  }

  @Test(arguments: StorageKind.allCases)
  func severalAtOnceLoseNothing(_ kind: StorageKind) async throws {
    let storage = try kind.make(try Scratch())
    let stores = [try await storage.open(), try await storage.open()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for round in 0..<20 {
        // Each batch has reports of its own, and one of all.
        let arrivals = try (0..<8).map {
          try Samples.arrival(Samples.rfc7469(host: "h\($0).test", adding: ["number": $0 == 7 ? 0 : round]))
        }
        let batch = round.isMultiple(of: 2) ? arrivals : arrivals.reversed()
        group.addTask { _ = try await stores[round % 2].record(batch, at: Samples.now) }
      }
      try await group.waitForAll()
    }
    let hosts = try await stores[0].hosts(since: 0, PageRequest()).hosts
    #expect(hosts.map(\.reports) == [Int64](repeating: 20, count: 7) + [1])
    let received = try await stores[1].status(refused: [:]).received
    #expect(received.reports == 141 && received.repeatedReports == 19)
    for store in stores { await store.database.close() }
  }

  @Test(arguments: StorageKind.allCases)
  func pagesFollowOneAnother(_ kind: StorageKind) async throws {
    let store = try await kind.make(try Scratch()).open()
    for number in 0..<5 {
      _ = try await store.record(
        [try Samples.arrival(Samples.rfc7469(host: "h\(number).test", port: 1 + number))], at: Samples.now)
    }
    _ = try await store.record([try Samples.arrival(Samples.aggregate().encoded())], at: Samples.now)
    var (hosts, failures, entries): ([String], [String], [String]) = ([], [], [])
    var next: String?
    repeat {
      let page = try await store.hosts(since: 0, PageRequest(after: next, limit: 2))
      hosts += page.hosts.map(\.host)
      next = page.next
    } while next != nil
    repeat {
      let page = try await store.failures(host: "", port: nil, since: 0, PageRequest(after: next, limit: 2))
      failures += page.failures.map(\.host)
      next = page.next
    } while next != nil
    repeat {
      let page = try await store.entries(entry: "", since: 0, PageRequest(after: next, limit: 1))
      entries += page.entries.map(\.entry)
      next = page.next
    } while next != nil
    #expect(hosts == (0..<5).map { "h\($0).test" })
    #expect(failures == (0..<5).reversed().map { "h\($0).test" })
    #expect(entries == ["api.example.com", "pay.example.com:8443", "quiet.example.com"])
    await store.database.close()
  }

  @Test(arguments: StorageKind.allCases)
  func tablesOfALaterVersionAreLeftAlone(_ kind: StorageKind) async throws {
    let storage = try kind.make(try Scratch())
    let store = try await storage.open()
    try await store.database.write { (session) throws(StorageError) in
      _ = try session("INSERT INTO collector_schema (version) VALUES ($1)", .integer(99))
    }
    await store.database.close()
    let error = await #expect(throws: StorageError.self) { try await storage.open() }
    #expect(error?.code == .incompatible)
  }
}
#endif
