import Foundation
import PinCollector
import PinFormat
import PinReports
import PinValidator
import TestSupport
import Testing

@Suite struct QueueTests {
  let bench: Bench
  let directory: TemporaryDirectory
  let recorder = ReportRecorder()
  let noon: Instant

  init() throws {
    bench = try Bench()
    directory = try TemporaryDirectory()
    noon = try instant(Bench.noon)
  }

  func open(_ change: (inout ReportSettings) -> Void = { _ in }, at now: Instant? = nil) throws -> ReportQueue {
    try ReportQueue(.test(directory, change), at: now ?? noon)
  }

  func mismatch(_ host: String = "api.example.com", to uris: [String]? = nil) throws {
    let entry =
      try uris.map { try Bench.entry(host, to: $0) } ?? Bench.entry(host)
    recorder.record(try bench.judge(host, try bench.manifest([entry])))
  }

  var files: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
  }

  @Test func sendsAReportToEachAddressInItsFormat() throws {
    let uris = ["https://a.example.org/r", "https://b.example.org/r", "https://c.example.org/r"]
    try mismatch(to: uris)
    let queue = try open { $0.formatsByURI[uris[1]] = .trustKit }
    queue.collect(from: recorder, at: noon)
    #expect(queue.status.reports == 2)
    #expect(queue.status.pending == 3)
    let deliveries = queue.deliverAll(at: noon)
    #expect(deliveries.map(\.uri).sorted() == uris)
    for delivery in deliveries {
      #expect(delivery.mediaType == "application/json")
      guard case .mismatch(let report) = try ReportReader.read(delivery.body, contentType: delivery.mediaType) else {
        Issue.record("not a mismatch")
        return
      }
      #expect(report.format == (delivery.uri == uris[1] ? .trustKit : .rfc7469))
      #expect(report.hostname == "api.example.com")
    }
    #expect(queue.status.reports == 0)
    #expect(queue.status.delivered == 3)
    #expect(!files.contains { $0.hasPrefix("report-") })
  }

  /// Once in 24 hours, also across a restart; then again.
  @Test func reportsTheSameChainOnceADay() throws {
    var sent: [Int64] = []
    for hour in [0, 1, 12, 23, 24, 25, 47, 48] as [Int64] {
      let now = noon.adding(seconds: hour * 3_600)
      try mismatch()
      let queue = try open({ $0.reportsAggregates = false }, at: now)
      queue.collect(from: recorder, at: now)
      if !queue.deliverAll(at: now).isEmpty { sent.append(hour) }
    }
    #expect(sent == [0, 24, 48])
  }

  /// Another host, another entry or another chain is another report.
  @Test func tellsReportsApart() throws {
    let entry = try Bench.entry("api.example.com", subdomains: true)
    let narrower = try Bench.entry("api.example.com", port: 8443)
    let manifest = try bench.manifest([entry, narrower])
    let queue = try open()
    var seen = 0
    for (host, port, chain, isNew) in [
      ("api.example.com", 443, [bench.leaf, bench.intermediate], true),
      ("API.example.com.", 443, [bench.leaf, bench.intermediate, bench.root], false),
      ("api.example.com", 8443, [bench.leaf, bench.intermediate], true),
      ("v2.api.example.com", 443, [bench.leaf, bench.intermediate], true),
      ("api.example.com", 443, [bench.other, bench.intermediate], true),
      ("api.example.com", 443, [bench.other, bench.intermediate, bench.leaf], false),
    ] as [(String, UInt16, [[UInt8]], Bool)] {
      recorder.record(try bench.judge(host, port: port, manifest, serves: chain))
      queue.collect(from: recorder, at: noon)
      if isNew { seen += 1 }
      #expect(queue.status.reports == seen, "\(host):\(port)")
    }
    #expect(queue.status.repeated == 2)
  }

  @Test(arguments: [
    ("https://pins.example.org/r", true), ("https://pins.example.org:8443/r", true), ("https://192.0.2.1/r", true),
    ("http://pins.example.org/r", false), ("https://user:secret@pins.example.org/r", false), ("https://", false),
    ("mailto:a@example.org", false),
    // Covered by the entry, on any port, in any spelling.
    ("https://api.example.com/r", false), ("https://API.EXAMPLE.COM./r", false),
    ("https://api.example.com:8443/r", false),
    ("https://deep.below.api.example.com/r", false), ("https://notapi.example.com/r", true),
    ("https://example.com/r", true),
    // Excluded from the entry, or pinned by another one that matches.
    ("https://collector.api.example.com/r", true), ("https://x.collector.api.example.com/r", true),
    ("https://pinned.api.example.com/r", true), ("https://other.example.net/r", true),
  ])
  func neverSendsWhereTheSameEntryPins(uri: String, isTaken: Bool) throws {
    let manifest = try bench.manifest(
      [
        try Bench.entry("api.example.com", port: 443, subdomains: true, to: [uri]),
        try Bench.entry("collector.api.example.com", subdomains: true, .off), try Bench.entry("other.example.net"),
        try Bench.entry("pinned.api.example.com", keys: "issued"),
      ].sorted { $0.host < $1.host })
    recorder.record(try bench.judge("api.example.com", manifest))
    let queue = try open()
    queue.collect(from: recorder, at: noon)
    #expect(queue.nextDelivery(at: noon)?.uri == (isTaken ? uri : nil))
    #expect(queue.status.dropped == (isTaken ? [:] : [.ineligibleURI: 1]))
  }

  /// Two pinned hosts that report to each other, both failing, don't go in circles (RFC 7469 section 2.1.4).
  @Test func breaksLoops() throws {
    let manifest = try bench.manifest([
      try Bench.entry("api.example.com", to: ["https://other.example.net/r"]),
      try Bench.entry("other.example.net", to: ["https://api.example.com/r"]),
    ])
    let queue = try open()
    recorder.record(try bench.judge("api.example.com", manifest))
    queue.collect(from: recorder, at: noon)
    #expect(queue.status.pending == 1)
    let later = noon.adding(seconds: 60)
    recorder.record(try bench.judge("other.example.net", manifest, at: "2026-12-05T12:01:00Z"))
    queue.collect(from: recorder, at: later)
    #expect(queue.status.pending == 1)
    #expect(queue.status.dropped == [.ineligibleURI: 1])
  }

  @Test func dropsTheOldestFirstAndTellsHowMany() throws {
    let uris = (0..<5).map { "https://c\($0).example.org/r" }
    let queue = try open { $0.limits.queueReports = 3 }
    for (number, uri) in uris.enumerated() {
      let hosts = try bench.manifest([try Bench.entry("api.example.com", port: UInt16(number + 1), to: [uri])])
      recorder.record(try bench.judge("api.example.com", port: UInt16(number + 1), hosts))
      queue.collect(from: recorder, at: noon)
    }
    #expect(queue.status.dropped == [.queueFull: 2])
    #expect(queue.deliverAll(at: noon).map(\.uri) == Array(uris.suffix(3)))
    try expectNextAggregate(saysDropped: [.queueFull: 2], of: queue)
  }

  /// A chain that could not be kept is reported when it is seen again.
  @Test func reportsAgainWhatTheDiskRefused() throws {
    try mismatch()
    let queue = try open()
    try fillUp(directory)
    queue.collect(from: recorder, at: noon)
    try FileManager.default.removeItem(atPath: directory.path("filler"))
    #expect(queue.status.dropped == [.notStored: 1])
    try mismatch()
    queue.collect(from: recorder, at: noon)
    #expect(queue.deliverAll(at: noon).count == 1)
  }

  @Test func keepsTheLimitOfBytes() throws {
    let queue = try open { $0.limits.queueBytes = 40_000 }
    for port in 1...20 {
      let manifest = try bench.manifest([try Bench.entry("api.example.com", port: UInt16(port))])
      recorder.record(try bench.judge("api.example.com", port: UInt16(port), manifest))
      queue.collect(from: recorder, at: noon)
      #expect(queue.status.bytes <= 40_000)
      let onDisk = try files.filter { $0.hasPrefix("report-") }.reduce(0) { try $0 + directory.read($1).count }
      #expect(onDisk <= 40_000)
    }
    let status = queue.status
    #expect(status.reports > 0)
    #expect(Int64(status.reports) + (status.dropped[.queueFull] ?? 0) == 20)
  }

  /// Dropped reports are counted in the next counts that are sent, however many restarts and days lie between.
  @Test func keepsTheCountOfWhatWasDropped() throws {
    try mismatch(to: ["http://insecure.example.org/r"])
    let queue = try open()
    queue.collect(from: recorder, at: noon)
    #expect(queue.status.dropped == [.ineligibleURI: 1])
    try expectNextAggregate(saysDropped: [.ineligibleURI: 1], of: queue, days: 3)
  }

  /// Lets days pass, then a day with a connection, and reads the aggregate on it.
  private func expectNextAggregate(
    saysDropped dropped: [DropReason: Int64], of queue: ReportQueue, days: Int64 = 0
  ) throws {
    let manifest = try bench.manifest([try Bench.entry("api.example.com", keys: "issued")])
    let day = noon.adding(seconds: days * 86_400)
    for passed in 0..<days { queue.collect(from: recorder, at: noon.adding(seconds: passed * 86_400)) }
    recorder.record(try bench.judge("api.example.com", manifest, at: day.description))
    queue.collect(from: recorder, at: day)
    let next = day.adding(seconds: 86_400)
    queue.collect(from: recorder, at: next)
    let aggregates = try queue.deliverAll(at: next.adding(seconds: 4 * 3_600)).compactMap { delivery in
      if case .aggregate(let report) = try ReportReader.read(delivery.body, contentType: delivery.mediaType) {
        report
      } else {
        nil
      }
    }
    // What applies to the whole service is in each of its reports.
    #expect(!aggregates.isEmpty)
    #expect(aggregates.allSatisfy { $0.dropped == dropped })
  }
}
