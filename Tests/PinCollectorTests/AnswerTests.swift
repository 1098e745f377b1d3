#if Collector
import Foundation
import PinFormat
import PinReports
import Testing

@testable import PinCollector

/// The same questions to both databases have the same answers, word for word.
@Suite struct AnswerTests {
  static let questions = [
    "hosts": "/v1/hosts", "failures": "/v1/failures?host=api.example.com&port=443", "failure": "/v1/failures/1",
    "entries": "/v1/entries", "adoption": "/v1/adoption", "manifests": "/v1/manifests", "status": "/v1/status",
  ]
  static let pages = [
    "overview": "/", "host": "/hosts/api.example.com/443", "entry": "/entries?entry=api.example.com",
  ]

  @Test(arguments: StorageKind.allCases)
  func answersAreAsTheyWere(_ kind: StorageKind) async throws {
    try await RunningCollector.run(kind) { collector async throws in
      try await Self.fill(collector)
      for body in Self.adopting { #expect(try await collector.post(body).status == 204) }
      for (name, path) in Self.questions.sorted(by: { $0.key < $1.key }) {
        let reply = try await collector.get(path)
        #expect(reply.status == 200)
        let text = reply.body.replacingOccurrences(of: "PostgreSQL", with: "SQLite")
        try Snapshot.check(try Snapshot.pretty(text), name + ".json")
      }
      for (name, path) in Self.pages.sorted(by: { $0.key < $1.key }) {
        let reply = try await collector.get(path)
        #expect(reply.status == 200)
        try Snapshot.check(reply.body, name + ".html")
      }
    }
  }

  /// Certificates that can't be read are counted where an operator sees them: on the host's page, and in its answer.
  @Test(arguments: StorageKind.allCases)
  func whatIsLeftOutOfAChainIsCounted(_ kind: StorageKind) async throws {
    try await RunningCollector.run(kind) { collector async throws in
      let chain = try Samples.chain()
      let damaged = ["validated-certificate-chain": [chain[0], "none", chain[1]]]
      for report in [try Samples.rfc7469(adding: damaged), try Samples.rfc7469()] {
        #expect(try await collector.post(report).status == 204)
      }
      let (answer, page) = (
        try await collector.get("/v1/failures"), try await collector.get("/hosts/api.example.com/443")
      )
      #expect(answer.body.components(separatedBy: "\"unreadable-certificates\":2").count == 2)
      #expect(answer.body.components(separatedBy: "unreadable-certificates").count == 2)
      #expect(page.body.components(separatedBy: "be read: 2.").count == 2)
      #expect(page.body.components(separatedBy: "Certificates left out").count == 2)
    }
  }

  @Test func aCalmDayLooksCalm() async throws {
    try await RunningCollector.run { collector async throws in
      let quiet = AggregateReport.Host(
        entry: "quiet.example.com", mode: .reportOnly, counts: .init(successes: 4_242))
      for day in 11...20 {
        let report = Samples.aggregate(id: "a-\(day)", day: "2026-11-\(day)", serial: Int64(day), hosts: [quiet])
        #expect(try await collector.post(report.encoded()).status == 204)
      }
      try Snapshot.check(try await collector.get("/").body, "calm.html")
    }
  }

  /// Days decide: seven without a failure make an entry ready, one failure unmakes it.
  @Test(arguments: [
    (0, 0, 0, Readiness.unseen), (10, 0, 1, .wait), (10, 0, 6, .wait), (10, 0, 7, .ready), (10_000, 1, 30, .failing),
    (0, 5, 7, .failing),
  ])
  func readinessIsCounted(_ row: (successes: Int64, failures: Int64, days: Int64, readiness: Readiness)) {
    #expect(Readiness(successes: row.successes, failures: row.failures, days: row.days) == row.readiness)
  }

  /// Counts of no host, from senders that say what they run.
  private static var adopting: [[UInt8]] {
    let days: [(day: String, senders: [Int64])] = [
      ("2026-11-18", [43, 42, 42, 41]), ("2026-11-19", [43, 43, 42, 41]), ("2026-11-20", [43, 43, 43, 43, 42]),
    ]
    return days.flatMap { day, serials in
      serials.enumerated().map { number, serial in
        var report = Samples.aggregate(id: "s\(number)-0", reporter: "app", day: day, hosts: [])
        report.manifests = [.init(serial: serial, decisions: 10, audience: "production", keysetVersion: 2)]
        return report.encoded()
      }
    }
  }

  static func fill(_ collector: RunningCollector) async throws {
    // One after the other, and new ones first, so that both databases number them in the same way.
    for body in [
      try Samples.rfc7469(), try Samples.rfc7469(port: 8443), try Samples.trustKit(),
      try Samples.trustKit(host: "api.example.com"), try Samples.rfc7469(at: "2026-11-21T11:59:01Z"),
      try Samples.rfc7469(at: "2026-11-20T10:00:00+01:00"),
      Samples.aggregate().encoded(), Samples.aggregate(id: "a-2", reporter: "shop", serial: 41).encoded(),
      Samples.aggregate(id: "a-3", reporter: "shop", day: "2026-11-19", serial: 40).encoded(),
    ] {
      let reply = try await collector.post(body)
      #expect(reply.status == 204, "\(reply.body)")
    }
  }
}
#endif
