import PinFormat
import PinRotation
import Testing

@Suite("A history of releases")
struct HistoryProblemTests {
  private typealias Small = SmallManifest

  private static func record(
    _ serial: Int64?, _ issued: String, digest: UInt8? = nil, previous: UInt8? = nil, audience: String = "production"
  ) -> ReleaseRecord {
    ReleaseRecord(
      name: serial.map { "serial \($0)" } ?? "git:main", audience: audience, serial: serial,
      issued: Small.instant(issued), digest: digest.map(Small.digest), previous: previous.map(Small.digest))
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var releases: [ReleaseRecord]
    var candidate = record(nil, "2026-12-01")
    var wanted: [HistoryProblem]
  }

  static let rows = [
    Row(testDescription: "nothing", releases: [], wanted: []),
    Row(
      testDescription: "one after the other",
      releases: [record(1, "2026-01-01", digest: 1), record(2, "2026-02-01", digest: 2, previous: 1)], wanted: []),
    Row(
      testDescription: "a serial passed over, whose release may be somewhere else",
      releases: [record(1, "2026-01-01", digest: 1), record(3, "2026-02-01", digest: 3, previous: 2)], wanted: []),
    Row(
      testDescription: "another predecessor",
      releases: [record(1, "2026-01-01", digest: 1), record(2, "2026-02-01", digest: 2, previous: 9)],
      wanted: [.otherPredecessor(release: "serial 2", before: "serial 1")]),
    Row(
      testDescription: "no predecessor",
      releases: [record(1, "2026-01-01", digest: 1), record(2, "2026-02-01", digest: 2)],
      wanted: [.otherPredecessor(release: "serial 2", before: "serial 1")]),
    Row(
      testDescription: "a serial twice",
      releases: [
        record(1, "2026-01-01", digest: 1), record(2, "2026-02-01", digest: 2, previous: 1),
        record(2, "2026-02-01", digest: 3, previous: 1),
      ],
      wanted: [.serialTwice(2, releases: ["serial 2", "serial 2"])]),
    Row(
      testDescription: "backwards in time",
      releases: [record(1, "2026-03-01", digest: 1), record(2, "2026-02-01", digest: 2, previous: 1)],
      wanted: [
        .issuedBackwards(
          release: "serial 2", issued: Small.instant("2026-02-01"), after: "serial 1",
          afterIssued: Small.instant("2026-03-01"))
      ]),
    Row(
      testDescription: "at one instant",
      releases: [record(1, "2026-02-01", digest: 1), record(2, "2026-02-01", digest: 2, previous: 1)], wanted: []),
    Row(
      testDescription: "for another environment than the newest",
      releases: [
        record(1, "2026-01-01", digest: 1, audience: "staging"), record(2, "2026-02-01", digest: 2, previous: 1),
      ],
      wanted: [.otherAudience(release: "serial 1", audience: "staging", expected: "production")]),
    Row(
      testDescription: "of a commit, which has neither serial nor digest", releases: [record(nil, "2026-01-01")],
      wanted: []),
    Row(
      testDescription: "followed by one for another environment", releases: [record(1, "2026-01-01", digest: 1)],
      candidate: record(nil, "2026-12-01", audience: "staging"),
      wanted: [.candidateAudience(candidate: "staging", released: "production")]),
    Row(
      testDescription: "followed by an older one", releases: [record(1, "2026-01-02", digest: 1)],
      candidate: record(nil, "2026-01-01"),
      wanted: [
        .candidateBackwards(issued: Small.instant("2026-01-01"), newest: Small.instant("2026-01-02"))
      ]),
  ]

  @Test("follows, or doesn't", arguments: rows)
  func problems(row: Row) {
    #expect(HistoryProblem.find(in: row.releases, candidate: row.candidate) == row.wanted)
  }

  @Test("lacks a release only where one is named that isn't there")
  func missing() {
    let records = [
      Self.record(3, "2026-01-01", digest: 3, previous: 2), Self.record(5, "2026-02-01", digest: 5, previous: 3),
      Self.record(7, "2026-03-01", digest: 7, previous: 6),
    ]
    let before = [nil] + records.map(Optional.some)
    let found = zip(records, before).map { HistoryProblem.find(in: $0, after: $1, isWhole: true) }
    #expect(
      found == [
        [.missingRelease(before: "serial 3", after: nil)], [],
        [.missingRelease(before: "serial 7", after: "serial 5")],
      ])
    #expect(zip(records, before).allSatisfy { HistoryProblem.find(in: $0, after: $1).isEmpty })
  }
}
