import Foundation
import PinCollector
import PinFormat
@testable import PinReports
import PinValidator
import TestSupport
import Testing

@Suite struct AggregateTests {
  let bench: Bench
  let directory: TemporaryDirectory
  let recorder = ReportRecorder()
  let noon: Instant
  let midnight: Instant

  init() throws {
    bench = try Bench()
    directory = try TemporaryDirectory()
    noon = try instant(Bench.noon)
    midnight = try instant("2026-12-06")
  }

  /// The aggregates among what may be sent, four hours after a time.
  func aggregates(_ queue: ReportQueue, at now: Instant) throws -> [(uri: String, report: AggregateReport)] {
    try queue.deliverAll(at: now.adding(seconds: 4 * 3_600)).compactMap { delivery in
      guard case .aggregate(let report) = try ReportReader.read(delivery.body, contentType: delivery.mediaType) else {
        return nil
      }
      return (delivery.uri, report)
    }
  }

  /// A day with everything in it.
  static func full() throws -> AggregateReport {
    let noon = try instant(Bench.noon)
    let later = noon.adding(seconds: 4_711)
    typealias Failure = AggregateReport.Failure
    return AggregateReport(
      id: "00000000075bcd15-0", reporter: "payments \"api\" \u{e9}", day: try instant("2026-12-05"),
      manifests: [
        AggregateReport.ManifestUse(serial: 41, decisions: 120_000),
        AggregateReport.ManifestUse(serial: 42, decisions: 80_412, audience: "production", keysetVersion: 3),
      ],
      hosts: [
        AggregateReport.Host(
          entry: "api.example.com", mode: .enforce,
          counts: AggregateReport.Counts(
            successes: 199_000, backupMatches: 17,
            failures: [
              Failure(kind: "denied-key", count: 1), Failure(kind: "expired", code: "manifest", count: 2),
              Failure(kind: "mismatch", count: 4), Failure(kind: "untrusted", code: "unknown-issuer", count: 3),
            ]),
          failingPins: [
            AggregateReport.FailingPin(pin: Pin(digest(3)), position: .leaf, first: noon, last: later, count: 5),
            AggregateReport.FailingPin(pin: Pin(digest(4)), position: .root, first: noon, last: later, count: 5),
          ],
          otherFailingPins: 2, firstFailure: noon, lastFailure: later),
        AggregateReport.Host(
          entry: "new.example.com:8443", mode: .reportOnly,
          counts: AggregateReport.Counts(successes: 900, reportOnlyMismatches: 2), firstFailure: noon,
          lastFailure: noon),
      ],
      otherHosts: AggregateReport.Counts(successes: 12, failures: [Failure(kind: "mismatch", count: 1)]),
      notPinned: 500, ungoverned: [Failure(kind: "invalid-host", count: 1)],
      dropped: [.queueFull: 3, .busy: 1, .rejected: 0])
  }

  @Test func isWrittenAsInTheFixtures() throws {
    let full = try Self.full()
    try expect(full.encoded(), matches: "aggregates/valid/full.json")
    let empty = AggregateReport(id: "0-0", reporter: "payments-api", day: try instant("2026-12-05"))
    try expect(empty.encoded(), matches: "aggregates/valid/empty.json")
    var read = full
    read.dropped[.rejected] = nil
    #expect(try ReportReader.read(full.encoded(), contentType: AggregateReport.mediaType) == .aggregate(read))
    #expect(try ReportReader.read(empty.encoded(), contentType: "application/json") == .aggregate(empty))
  }

  /// What a service records on a day is what is reported on the next.
  @Test func addsADayUpAcrossRestarts() throws {
    let manifest = try bench.manifest([
      try Bench.entry("api.example.com", keys: "issued"), try Bench.entry("other.example.net", .reportOnly),
    ])
    for hour in 0..<6 {
      let now = noon.adding(seconds: Int64(hour) * 3_600)
      let queue = try ReportQueue(.test(directory), at: now)
      recorder.record(try bench.judge("api.example.com", manifest, at: now.description), times: 10)
      recorder.record(try bench.judge("other.example.net", manifest, at: now.description), times: 2)
      queue.collect(from: recorder, keysetVersion: hour == 0 ? nil : Int64(hour), at: now)
      _ = queue.deliverAll(at: now)
    }
    let queue = try ReportQueue(.test(directory), at: midnight)
    queue.collect(from: recorder, at: midnight)
    let found = try aggregates(queue, at: midnight)
    #expect(found.map(\.uri) == ["https://pins.example.org/reports"])
    let report = try #require(found.first?.report)
    #expect(report.reporter == "payments-api")
    #expect(report.day == (try instant("2026-12-05")))
    #expect(
      report.manifests == [
        AggregateReport.ManifestUse(serial: 7, decisions: 72, audience: "production", keysetVersion: 5)
      ])
    #expect(report.hosts.map(\.entry) == ["api.example.com", "other.example.net"])
    #expect(report.hosts[0].counts.successes == 60)
    #expect(report.hosts[0].failingPins.isEmpty)
    let trial = report.hosts[1]
    #expect(trial.mode == .reportOnly)
    #expect(trial.counts.reportOnlyMismatches == 12)
    #expect(trial.counts.blocked == 0)
    #expect(trial.failingPins.map(\.position) == [.leaf, .intermediate, .root])
    #expect(trial.failingPins.map(\.count) == [12, 12, 12])
    #expect(trial.firstFailure == noon)
    #expect(trial.lastFailure == noon.adding(seconds: 5 * 3_600))
    #expect(trial.failingPins[0].first == trial.firstFailure)
    #expect(trial.failingPins[0].last == trial.lastFailure)
    // Only once: nothing of the day is left.
    queue.collect(from: recorder, at: midnight.adding(seconds: 60))
    #expect(queue.status.pending == 0)
  }

  /// Files of earlier versions have neither keyset nor audience, and an audience may have spaces.
  @Test func readsADayOfEarlierVersions() throws {
    let day = try instant("2026-12-05").secondsSinceEpoch / 86_400
    var lines = SealedLines("pintle-counts")
    lines.line("day", String(day), "7")
    lines.line("not-pinned", "0")
    lines.line("manifest", "41", "3")
    lines.line("host", "-", "enforce", "0", "0", "0", "0", "-", "-")
    let old = try #require(lines.sealed())
    var counts = try #require(DayCounts.read(old))
    #expect(counts.manifests == [ManifestName(serial: 41, audience: nil): ManifestCounts(decisions: 3)])
    let spaced = ManifestName(serial: 42, audience: "a  shop ")
    counts.manifests[spaced] = ManifestCounts(decisions: 9, keysetVersion: 2)
    counts.manifests[ManifestName(serial: 42, audience: "b")] = ManifestCounts(decisions: 1)
    let new = try #require(counts.file())
    let again = try #require(DayCounts.read(new))
    #expect(again.manifests == counts.manifests)
  }

  @Test(arguments: [("", nil), ("a\nb", nil), (String(repeating: "é", count: 129), nil), ("prod", "prod")])
  func namesOnlyShortAudiences(_ row: (audience: String, name: String?)) {
    #expect(AggregateReport.nameable(row.audience) == row.name)
  }

  /// A process that ends at midnight, between queueing the report and forgetting the counts, doesn't count twice.
  @Test func reportsADayOnce() throws {
    let manifest = try bench.manifest([try Bench.entry("api.example.com", keys: "issued")])
    recorder.record(try bench.judge("api.example.com", manifest))
    do {
      let queue = try ReportQueue(.test(directory), at: noon)
      queue.collect(from: recorder, at: noon)
    }
    let counts = try #require(
      FileManager.default.contentsOfDirectory(atPath: directory.path).first { $0.hasPrefix("counts-") })
    let bytes = try directory.read(counts)
    do {
      let queue = try ReportQueue(.test(directory), at: midnight)
      queue.collect(from: recorder, at: midnight)
      #expect(queue.status.reports == 1)
    }
    try directory.write(bytes, to: counts)
    let queue = try ReportQueue(.test(directory), at: midnight)
    queue.collect(from: recorder, at: midnight)
    #expect(queue.status.reports == 1)
  }

  /// A day's counts that the disk doesn't take at midnight are reported once it does, and nothing counts as lost.
  @Test func reportsADayThatTheDiskRefused() throws {
    let manifest = try bench.manifest([try Bench.entry("api.example.com", keys: "issued")])
    recorder.record(try bench.judge("api.example.com", manifest))
    let queue = try ReportQueue(.test(directory), at: noon)
    queue.collect(from: recorder, at: noon)
    try fillUp(directory)
    for second in Int64(0)..<3 { queue.collect(from: recorder, at: midnight.adding(seconds: second)) }
    #expect(queue.status.reports == 0)
    try FileManager.default.removeItem(atPath: directory.path("filler"))
    queue.collect(from: recorder, at: midnight.adding(seconds: 60))
    let report = try #require(try aggregates(queue, at: midnight.adding(seconds: 60)).first?.report)
    #expect(report.hosts.map(\.counts.successes) == [1])
    #expect(queue.status.dropped.isEmpty)
  }

  /// Each address gets the counts of the entries that name it, and of no others.
  @Test func dividesADayByAddress() throws {
    let manifest = try bench.manifest([
      try Bench.entry("api.example.com", keys: "issued", to: ["https://a.example.org/", "https://b.example.org/"]),
      try Bench.entry("other.example.net", keys: "issued", to: ["https://b.example.org/", "https://c.example.org/"]),
      try Bench.entry(
        "third.example.net", keys: "issued", to: ["https://third.example.net/", "https://c.example.org/"]),
    ])
    for host in ["api.example.com", "other.example.net", "third.example.net"] {
      recorder.record(try bench.judge(host, manifest))
    }
    let queue = try ReportQueue(.test(directory), at: noon)
    queue.collect(from: recorder, at: midnight)
    var heard: [String: [String]] = [:]
    var names: Set<String> = []
    for (uri, report) in try aggregates(queue, at: midnight) {
      heard[uri] = report.hosts.map(\.entry)
      names.insert(report.id)
    }
    #expect(
      heard == [
        "https://a.example.org/": ["api.example.com"],
        "https://b.example.org/": ["api.example.com", "other.example.net"],
        "https://c.example.org/": ["other.example.net", "third.example.net"],
      ])
    #expect(names.count == 3)
  }

  @Test func sendsADayToOneAddressIfAsked() throws {
    let manifest = try bench.manifest([try Bench.entry("api.example.com", keys: "issued", to: [])])
    recorder.record(try bench.judge("api.example.com", manifest))
    let uris = ["https://all.example.org/", "http://insecure.example.org/"]
    let queue = try ReportQueue(.test(directory) { $0.aggregateURIs = uris }, at: noon)
    queue.collect(from: recorder, at: midnight)
    #expect(try aggregates(queue, at: midnight).map(\.uri) == ["https://all.example.org/"])
    #expect(queue.status.dropped == [.ineligibleURI: 1])
  }

  /// Not all clients at midnight: at a random time in the first hours.
  @Test(arguments: [(0, 0), (7_200, 7_200), (14_400, 14_400), (14_401, 0)] as [(UInt64, Int64)])
  func isSentWithJitter(random: UInt64, seconds: Int64) throws {
    let manifest = try bench.manifest([try Bench.entry("api.example.com", keys: "issued")])
    recorder.record(try bench.judge("api.example.com", manifest))
    let queue = try ReportQueue(.test(directory) { $0.random = { random } }, at: noon)
    queue.collect(from: recorder, at: midnight)
    #expect(queue.nextDeliveryTime(at: midnight) == midnight.adding(seconds: seconds))
    if seconds > 0 { #expect(queue.nextDelivery(at: midnight.adding(seconds: seconds - 1)) == nil) }
    #expect(queue.nextDelivery(at: midnight.adding(seconds: seconds)) != nil)
  }

  /// More entries than a report names are counted together.
  @Test func countsHostsBeyondTheLimitTogether() throws {
    let entries = try (0..<1_010).map { try Bench.entry("h\($0).api.example.com", keys: "issued") }
    let manifest = try bench.manifest(entries.sorted { $0.host < $1.host })
    let judged = try bench.judge("h1.api.example.com", manifest)
    for number in 0..<1_010 {
      let verdict = try bench.judge("h\(number).api.example.com", manifest, serves: number < 20 ? nil : [])
      recorder.record(verdict)
    }
    recorder.record(judged)
    let queue = try ReportQueue(.test(directory), at: noon)
    queue.collect(from: recorder, at: midnight)
    let report = try #require(try aggregates(queue, at: midnight).first?.report)
    #expect(report.hosts.count == AggregateReport.maximumHosts)
    let named = report.hosts.reduce(0) { $0 + $1.counts.successes + $1.counts.blocked }
    #expect(named + report.otherHosts.successes + report.otherHosts.blocked == 1_011)
  }

  /// However much goes wrong in a day, its counts arrive: pins go first, then the names of entries, and no sum changes.
  @Test(arguments: [1 << 20, 300_000, 50_000, 2_000])
  func fitsIntoItsLimit(limit: Int) throws {
    var report = try Self.full()
    let seen = report.hosts[0].failingPins[0]
    report.hosts = (0..<1_000).map { number in
      AggregateReport.Host(
        entry: "h\(number).example.com", mode: .enforce,
        counts: AggregateReport.Counts(
          successes: 2, failures: [AggregateReport.Failure(kind: "mismatch", count: 3)]),
        failingPins: Array(repeating: seen, count: AggregateReport.maximumPins), firstFailure: seen.first,
        lastFailure: seen.last)
    }
    let bytes = try #require(report.encoded(maximumBytes: limit))
    #expect(bytes.count <= limit)
    guard case .aggregate(let read) = try ReportReader.read(bytes, contentType: AggregateReport.mediaType) else {
      return
    }
    #expect(read.hosts.reduce(read.otherHosts.successes) { $0 + $1.counts.successes } == 2_012)
    #expect(read.hosts.reduce(read.otherHosts.blocked) { $0 + $1.counts.blocked } == 3_001)
    if limit >= 300_000 { #expect(read.hosts.count == 1_000) }
    for host in read.hosts {
      #expect(host.failingPins.reduce(host.otherFailingPins) { $0 + $1.count } == 80)
    }
    #expect(report.encoded(maximumBytes: 100) == nil)
  }
}
