import OpenSSLKit
import PinFormat
import TestSupport
import Testing

@testable import PinReports

/// Files that somebody wrote into the queue's folder, whole and with a right digest: nothing in them ends the service.
@Suite struct HostileFilesTests {
  let bench: Bench
  let directory: TemporaryDirectory
  let noon: Instant

  init() throws {
    bench = try Bench()
    directory = try TemporaryDirectory()
    noon = try instant(Bench.noon)
  }

  /// Records a mismatch and brings it and what was there to its addresses.
  func work() throws -> [Delivery] {
    let recorder = ReportRecorder()
    recorder.record(try bench.judge("api.example.com", try bench.manifest([try Bench.entry("api.example.com")])))
    let queue = try ReportQueue(.test(directory), at: noon)
    queue.collect(from: recorder, at: noon)
    while let delivery = queue.nextDelivery(at: noon) {
      queue.finished(delivery.id, .retryLater(afterSeconds: nil), at: noon)
    }
    return queue.deliverAll(at: noon.adding(seconds: 86_400 - 1))
  }

  @Test(arguments: ["ffffffffffffffff", "fffffffffffffffe", "7fffffffffffffff", "000000000000000A", "+00000000000000a"])
  func noNumberIsTheLast(_ digits: String) throws {
    try directory.write("", to: "report-" + digits)
    #expect(try work().count == 1)
  }

  @Test(arguments: [Int.max, Int.max - 1, -1])
  func attemptsAreCountedWithinLimits(_ attempts: Int) throws {
    let body = Array("{}".utf8)
    var report = QueuedReport(
      number: 1, subject: "", created: noon, mediaType: "application/json",
      addresses: [QueuedReport.Address(uri: "https://a.example.org/", notBefore: noon)],
      digest: SHA256Digest(try SHA256.digest(of: body)), bodyBytes: body.count)
    report.addresses[0].attempts = attempts
    try directory.write(try #require(report.file(body: body)), to: report.fileName)
    var pace = QueuePace(ReportLimits(), at: noon)
    pace.pauses["https://pins.example.org/reports"] = QueuePace.Pause(failures: attempts, until: noon)
    try directory.write(try #require(pace.file()), to: QueuePace.fileName)
    #expect(try work().count == 1)
  }

  @Test(arguments: [Int64.max, Int64.min, 1 << 40, -(1 << 40)])
  func daysAreThoseOfTheCalendar(_ day: Int64) throws {
    var counts = DayCounts(day: day, name: 1)
    counts.hosts["api.example.com"] = HostCounts(mode: .enforce)
    counts.hosts["api.example.com"]?.uris = ["https://a.example.org/"]
    try directory.write(try #require(counts.file()), to: counts.fileName)
    #expect(try work().count == 1)
  }
}
