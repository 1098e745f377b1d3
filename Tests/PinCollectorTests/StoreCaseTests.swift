#if Collector
import Foundation
import PinFormat
import PinReports
import Testing

@testable import PinCollector

/// One table of cases: reports in, answers out.
///
/// Both databases give these answers, and `examples/clickhouse` gives them from the forwarded lines
/// (`Tests/Programs/ClickHouse`).
@Suite struct StoreCaseTests {
  /// A report, and how many seconds before noon it arrives.
  typealias Arriving = (ago: Int64, bytes: [UInt8])

  static let cases: [(name: String, reports: @Sendable () throws -> [Arriving])] = [
    ("failures", { try failures() }), ("periods", { try periods() }), ("counts", { counts() }),
    ("extremes", { try extremes() }), ("lists", { lists() }),
  ]

  @Test(arguments: StorageKind.allCases, cases.map(\.name))
  func answersAreThoseOfTheTable(_ kind: StorageKind, _ name: String) async throws {
    let reports = try #require(Self.cases.first { $0.name == name }).reports()
    let store = try await kind.make(try Scratch()).open()
    var lines: [UInt8] = []
    // Senders that repeat themselves change nothing.
    for isRepeated in [false, true] {
      for (ago, bytes) in reports {
        let now = Samples.now.adding(seconds: isRepeated ? 0 : -ago)
        let arrival = try Samples.arrival(bytes, at: Samples.now.adding(seconds: -ago))
        let stored = try await store.record([arrival], at: now)
        #expect((stored == [.repeated]) == isRepeated)
        lines += ForwardLine.lines(of: arrival, at: now).joined()
      }
      try Snapshot.check(try await Self.answers(of: store), "cases/\(name).json")
    }
    try Snapshot.check(String(decoding: lines, as: UTF8.self), "cases/\(name).jsonl")
    await store.database.close()
  }

  private struct Case: Encodable {
    var now = Samples.now.description
    var days = 30
    var hosts: [Answers.Host]
    var failures: [Answers.Failure]
    var entries: [Answers.Entry]
    var manifests: [Answers.Manifest]
  }

  private static func answers(of store: CollectorStore) async throws -> String {
    let since = Samples.now.adding(seconds: -30 * 86_400).secondsSinceEpoch
    let page = PageRequest(limit: 200)
    var failures = try await store.failures(host: "", port: nil, since: since, page).failures
    // Which numbers rows have is each database's own affair.
    for index in failures.indices { failures[index].id = 0 }
    let answers = Case(
      hosts: try await store.hosts(since: since, page).hosts,
      failures: failures,
      entries: try await store.entries(entry: "", since: since / 86_400, page).entries,
      manifests: try await store.manifests(since: since / 86_400).manifests)
    return try Snapshot.pretty(String(decoding: JSONText.encoder().encode(answers), as: UTF8.self))
  }

  private static var bare: [String: Any] {
    ["served-certificate-chain": [String](), "validated-certificate-chain": [String]()]
  }

  private static func bare(
    _ host: String, port: Int = 443, at time: String = "2026-11-21T01:00:00Z", adding: [String: Any] = [:]
  ) throws -> [UInt8] {
    try Samples.rfc7469(host: host, port: port, at: time, adding: bare.merging(adding) { $1 })
  }

  /// Hosts, ports, keys, formats, repeated contents with other times, and reports with the same bytes.
  private static func failures() throws -> [Arriving] {
    let other = ["validated-certificate-chain": try Samples.chain("allowed.test")]
    return [
      (9_000, try Samples.rfc7469()), (8_000, try Samples.rfc7469(port: 8443, adding: bare)),
      (7_000, try Samples.trustKit(adding: ["validated-certificate-chain": [String]()])),
      (6_000, try Samples.rfc7469(adding: other)), (5_000, try Samples.rfc7469(at: "2026-11-20T10:00:00+01:00")),
      (4_000, try Samples.rfc7469(at: "2026-11-21T10:00:00Z")),
      (3_000, try Samples.trustKit(host: "api.example.com", adding: ["enforce-pinning": false])),
      (2_000, try bare("b.example.com", adding: ["include-subdomains": false, "known-pins": [String]()])),
      (1_000, try bare("b.example.com", at: "2036-01-01T00:00:00Z", adding: ["noted-hostname": "b.example.com"])),
    ]
  }

  /// What was last seen before the period isn't in it; what was seen in it counts from its beginning.
  private static func periods() throws -> [Arriving] {
    let day: Int64 = 86_400
    return [
      (40 * day, try bare("old.test", at: "2026-10-12T00:00:00Z")),
      (39 * day, try bare("long.test", at: "2026-10-13T00:00:00Z")),
      (31 * day, try bare("long.test", at: "2026-10-21T00:00:00Z")),
      (30 * day + 1, try bare("before.test", at: "2026-10-22T00:00:00Z")),
      (30 * day, try bare("first.test", at: "2026-10-22T00:00:01Z")),
      (day, try bare("long.test", at: "2026-11-20T00:00:00Z")), (5, try bare("long.test", at: "2026-11-21T00:00:00Z")),
      (4, try bare("long.test", at: "2026-11-21T00:00:01Z")),
      (3, Samples.aggregate(id: "a", day: "2026-10-21").encoded()),
      (2, Samples.aggregate(id: "b", reporter: "late", day: "2026-10-22").encoded()),
      (1, Samples.aggregate(id: "c", reporter: "gone", day: "2026-10-01", serial: 1).encoded()),
    ]
  }

  /// Several services with several instances, on several days, with a change of serial and of mode.
  private static func counts() -> [Arriving] {
    let quiet = (11...20).map { day -> Arriving in
      let host = AggregateReport.Host(entry: "quiet.example.com", mode: .reportOnly, counts: .init(successes: 42))
      let report = Samples.aggregate(
        id: "q-\(day)", reporter: "quiet", day: "2026-11-\(day)", serial: 7, hosts: [host])
      return (Int64(100 - day), report.encoded())
    }
    let unseen = AggregateReport.Host(entry: "unseen.test", mode: .reportOnly, counts: .init())
    let enforced = AggregateReport.Host(
      entry: "api.example.com", mode: .enforce, counts: .init(successes: 5, backupMatches: 2))
    return quiet + [
      (60, Samples.aggregate().encoded()), (50, Samples.aggregate(id: "a-2").encoded()),
      (40, Samples.aggregate(id: "a-3", day: "2026-11-19", serial: 41).encoded()),
      (30, Samples.aggregate(id: "s-1", reporter: "shop", serial: 40).encoded()),
      (20, Samples.aggregate(id: "s-2", reporter: "shop", day: "2026-11-21", serial: 41, hosts: [enforced]).encoded()),
      (10, Samples.aggregate(id: "s-3", reporter: "shop", day: "2026-11-21", serial: 42, hosts: []).encoded()),
      (9, Samples.aggregate(id: "t-1", reporter: "", hosts: [unseen]).encoded()),
    ]
  }

  /// What no honest sender says.
  private static func extremes() throws -> [Arriving] {
    let text = "e\u{301}\u{85}\u{2028}\u{202E}😀'\"\\`{}%00\u{FFFD}"
    let digest = try #require(SHA256Digest([UInt8](repeating: 9, count: 32)))
    let pin = AggregateReport.FailingPin(
      pin: Pin(digest), position: .root, first: .earliest, last: .latest, count: .max)
    let host = AggregateReport.Host(
      entry: text, mode: .enforce,
      counts: .init(
        successes: .max, backupMatches: .max, reportOnlyMismatches: .max,
        failures: [
          .init(kind: text, code: text, count: .max), .init(kind: "mismatch", count: .max),
        ]), failingPins: [pin], firstFailure: .earliest, lastFailure: .latest)
    return [
      (9, Samples.aggregate(id: text.filter(\.isASCII), reporter: text, serial: .max, hosts: [host, host]).encoded()),
      (8, Samples.aggregate(id: "old", reporter: text, day: "0001-01-01", serial: 1).encoded()),
      (7, Samples.aggregate(id: "b", day: "2026-11-22", serial: 0, hosts: [host]).encoded()),
      (
        6,
        try Samples.trustKit(adding: [
          "app-bundle-id": text, "validated-certificate-chain": [String](), "hostname": "a'\"\\`b",
        ])
      ),
      (5, try bare("x.test", at: "0001-01-01T00:00:00Z")), (4, Array(#"{"hostname":"least"}"#.utf8)),
    ]
  }

  /// More failing keys, kinds of failures and days than an answer lists.
  private static func lists() -> [Arriving] {
    (0..<4).map { number -> Arriving in
      let pins = (0..<16).compactMap { index -> AggregateReport.FailingPin? in
        let digest = SHA256Digest([UInt8](repeating: UInt8(number * 16 + index), count: 32))
        return digest.map {
          .init(pin: Pin($0), position: .leaf, first: Samples.now, last: Samples.now, count: Int64(index % 5 + 1))
        }
      }
      let failures = (0..<40).map {
        AggregateReport.Failure(kind: "untrusted", code: "code-\($0)", count: Int64(number + $0 % 7 + 1))
      }
      let host = AggregateReport.Host(
        entry: "wide.example.com", mode: .enforce, counts: .init(successes: 1, failures: failures), failingPins: pins,
        firstFailure: Samples.now, lastFailure: Samples.now)
      return (Int64(number), Samples.aggregate(id: "w-\(number)", day: "2026-11-1\(number)", hosts: [host]).encoded())
    }
      + (0..<33).compactMap { day -> Arriving? in
        let time = Samples.now.adding(seconds: -Int64(day) * 86_400 - 60).description
        return (try? bare("daily.test", at: time)).map { (Int64(32 - day) * 86_400, $0) }
      }
  }
}
#endif
