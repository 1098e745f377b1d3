import PinFormat
import PinValidator
import TestSupport
import Testing

@testable import PinReports

@Suite struct RecorderTests {
  @Test func countsWhatHappensByDayManifestAndEntry() throws {
    let bench = try Bench()
    let hosts = [
      try Bench.entry("api.example.com", keys: "issued"), try Bench.entry("other.example.net", .reportOnly),
      try Bench.entry("third.example.net", keys: "rotated"),
    ]
    let manifest = try bench.manifest(hosts)
    let recorder = ReportRecorder()
    recorder.record(try bench.judge("api.example.com", manifest), times: 3)
    recorder.record(try bench.judge("other.example.net", manifest), times: 2)
    recorder.record(try bench.judge("third.example.net", manifest))
    recorder.record(try bench.judge("api.example.com", manifest, serves: [bench.leaf]))
    recorder.record(try bench.judge("nobody.example", manifest))
    recorder.record(try bench.judge("nobody.example", manifest, transport: .replaced))
    recorder.record(try bench.judge("not a host", manifest))
    recorder.record(try bench.judge("api.example.com", manifest, at: "2026-12-06"))
    var days: [Int64: DayCounts] = [:]
    for period in recorder.take().flatMap(\.periods) {
      days[period.day, default: DayCounts(day: period.day, name: 1)].add(period)
    }
    let first = try #require(days[try instant(Bench.noon).day])
    #expect(first.hosts["api.example.com"]?.successes == 3)
    #expect(
      first.hosts["api.example.com"]?.failures == [FailureNames(kind: "untrusted", code: "missing-intermediate"): 1])
    #expect(first.hosts["other.example.net"]?.reportOnlyMismatches == 2)
    #expect(first.hosts["other.example.net"]?.mode == .reportOnly)
    #expect(first.hosts["third.example.net"]?.backupMatches == 1)
    #expect(first.hosts.count == 3)
    #expect(first.notPinned == 1)
    #expect(
      first.ungoverned == [
        FailureNames(kind: "untrusted", code: "name-mismatch"): 1, FailureNames(kind: "invalid-host"): 1,
      ])
    let name = ManifestName(serial: 7, audience: "production")
    #expect(first.manifests == [name: ManifestCounts(decisions: 10)])
    #expect(days[try instant("2026-12-06").day]?.hosts["api.example.com"]?.successes == 1)
    #expect(days.count == 2)
    #expect(recorder.take().isEmpty)
  }

  /// However often a chain is seen, it is kept once in each shard, and counted each time.
  @Test func keepsEachChainOnce() throws {
    let bench = try Bench()
    let manifest = try bench.manifest([try Bench.entry("api.example.com")])
    let recorder = ReportRecorder()
    recorder.record(try bench.judge("api.example.com", manifest), times: 1_000)
    // Additional certificates after the chain don't make it another one.
    recorder.record(
      try bench.judge("api.example.com", manifest, serves: [bench.leaf, bench.intermediate, bench.other]), times: 1_000)
    let incidents = recorder.take().flatMap(\.incidents)
    #expect(Set(incidents.map(\.key)).count == 1)
    #expect(incidents.count <= 8)
    #expect(incidents.reduce(0) { $0 + $1.value.count } == 2_000)
  }

  /// One who can make the connection fail in ever new ways fills no memory, and what finds no room is counted.
  @Test func isBounded() throws {
    let bench = try Bench()
    let entry = try Bench.entry("api.example.com", subdomains: true)
    let manifest = try bench.manifest([entry])
    let judged = try bench.judge("api.example.com", manifest)
    let recorder = ReportRecorder()
    for number in 0..<2_000 {
      var handshake = judged.handshake
      handshake.host = "h\(number).api.example.com"
      recorder.record(handshake, judged.decision, at: judged.at)
    }
    for day in 0..<1_000 {
      recorder.record(judged.handshake, judged.decision, at: judged.at.adding(seconds: Int64(day) * 86_400))
    }
    let parts = recorder.take()
    let kept = parts.flatMap(\.incidents)
    #expect(kept.count == 8 * Recorded.maximumIncidents)
    #expect(parts.allSatisfy { $0.incidentBytes <= Recorded.maximumIncidentBytes })
    let uncounted = parts.reduce(0) { $0 + $1.uncounted }
    let counted = parts.flatMap(\.periods).reduce(0) { $0 + $1.decisions }
    #expect(parts.flatMap(\.periods).count <= 8 * Recorded.maximumPeriods)
    #expect(counted + uncounted == 3_000)
    #expect(kept.reduce(0) { $0 + $1.value.count } + parts.reduce(0) { $0 + $1.lost } == 3_000)
  }

  /// Counts from many threads, while somebody takes them over, are complete: nothing is lost, or it is counted as lost.
  @Test func losesNothingBetweenThreads() async throws {
    let bench = try Bench()
    let manifest = try bench.manifest([try Bench.entry("api.example.com"), try Bench.entry("other.example.net")])
    let judged = try ["api.example.com", "other.example.net"].map { try bench.judge($0, manifest) }
    let recorder = ReportRecorder()
    let parts = await withTaskGroup(of: [Recorded].self) { group in
      for task in 0..<8 {
        group.addTask {
          for _ in 0..<1_000 { recorder.record(judged[task % 2]) }
          return []
        }
      }
      group.addTask {
        var parts: [Recorded] = []
        for _ in 0..<200 {
          parts += recorder.take()
          await Task.yield()
        }
        return parts
      }
      return await group.reduce(into: []) { $0 += $1 } + recorder.take()
    }
    let counted = parts.flatMap(\.periods).reduce(0) { $0 + $1.decisions }
    #expect(counted + parts.reduce(0) { $0 + $1.uncounted } == 8_000)
    #expect(counted > 0)
  }

  /// The recorder knows no disk: with the queue's folder gone, and the queue without it, connections go on.
  @Test func goesOnWithoutADisk() throws {
    let bench = try Bench()
    let manifest = try bench.manifest([try Bench.entry("api.example.com")])
    let recorder = ReportRecorder()
    let queue: ReportQueue
    do {
      let directory = try TemporaryDirectory()
      queue = try ReportQueue(.test(directory), at: try instant(Bench.noon))
    }
    recorder.record(try bench.judge("api.example.com", manifest), times: 10)
    queue.collect(from: recorder, at: try instant(Bench.noon))
    #expect(queue.status.reports == 0)
    #expect(queue.status.dropped == [.notStored: 1])
    #expect(!queue.takeProblems().isEmpty)
    #expect(queue.nextDelivery(at: try instant(Bench.noon)) == nil)
    recorder.record(try bench.judge("api.example.com", manifest))
    #expect(!recorder.take().isEmpty)
  }

  @Test func observesAStore() throws {
    let bench = try Bench()
    let recorder = ReportRecorder()
    let judged = try bench.judge("api.example.com", try bench.manifest([try Bench.entry("api.example.com")]))
    recorder.observer(judged.handshake, judged.decision, judged.at)
    #expect(recorder.take().flatMap(\.incidents).count == 1)
  }
}
