import Foundation
import Glibc
import PinFormat
import PinReports
import TestSupport
import Testing

/// Somebody else may write to the folder of the reports.
@Suite(.timeLimit(.minutes(1))) struct HostileFolderTests {
  private let bench: Bench
  private let directory: TemporaryDirectory
  private let noon: Instant

  init() throws {
    bench = try Bench()
    directory = try TemporaryDirectory()
    noon = try instant(Bench.noon)
    try FileManager.default.createDirectory(atPath: reports, withIntermediateDirectories: false)
  }

  private var reports: String { directory.path("reports") }

  private func queue(_ bytes: Int = 1 << 20) throws -> ReportQueue {
    try ReportQueue(
      .test(directory) {
        $0.directory = reports
        $0.limits.queueBytes = bytes
      }, at: noon)
  }

  /// Queues a report for each port, as a connection that was refused does.
  private func work(_ queue: ReportQueue, ports: Range<UInt16>) throws {
    let recorder = ReportRecorder()
    for port in ports {
      let entry = try Bench.entry("api.example.com", port: port, to: ["https://a.example.org/"])
      recorder.record(try bench.judge("api.example.com", port: port, try bench.manifest([entry])))
    }
    queue.collect(from: recorder, at: noon)
  }

  private var usage: Int {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: reports).reduce(0) { sum, name in
        let size = try FileManager.default.attributesOfItem(atPath: reports + "/" + name)[.size] as? Int
        return sum + (size ?? 0)
      }
    }
  }

  static let names = [
    "lock", "reported", "pace", "counts-", "report-0000000000000001", "report-0000000000000001.new", "reported.new",
  ]

  /// A link's target stays as it is, a pipe is not waited for, and reports are still kept and delivered.
  @Test(arguments: names, ["link", "pipe", "folder"])
  func planted(name: String, kind: String) throws {
    // The counts' file is named after the day.
    var name = name
    if name == "counts-" {
      try work(try queue(), ports: 1..<2)
      let names = try FileManager.default.contentsOfDirectory(atPath: reports)
      name = try #require(names.first { $0.hasPrefix("counts-") })
      for name in names { try FileManager.default.removeItem(atPath: reports + "/" + name) }
    }
    let outside = try directory.write("what somebody else needs", to: "outside")
    switch kind {
    case "link": try FileManager.default.createSymbolicLink(atPath: reports + "/" + name, withDestinationPath: outside)
    case "pipe": #expect(mkfifo(reports + "/" + name, 0o600) == 0)
    default:
      try FileManager.default.createDirectory(atPath: reports + "/" + name, withIntermediateDirectories: false)
    }
    do {
      let queue = try queue()
      try work(queue, ports: 1..<4)
      #expect(queue.status.reports == 3)
      let delivery = try #require(queue.nextDelivery(at: noon))
      queue.finished(delivery.id, .delivered, at: noon)
    }
    #expect(try queue().status.reports == 2)
    #expect(try readFile(outside) == Array("what somebody else needs".utf8))
  }

  /// Whatever is in the folder counts: what is damaged goes first, then the oldest reports; what isn't ours stays.
  @Test func keepsToItsLimit() throws {
    let limit = 120_000
    for number in 0..<8 {
      let name = "report-000000000000000\(number)"
      try Data(repeating: 1, count: 3_000).write(to: URL(filePath: reports + "/" + name))
      try Data(repeating: 1, count: 3_000).write(to: URL(filePath: reports + "/" + name + ".new"))
    }
    try Data(repeating: 1, count: 9_000).write(to: URL(filePath: reports + "/notes.txt"))
    let queue = try queue(limit)
    for port in stride(from: UInt16(1), to: 90, by: 3) {
      try work(queue, ports: port..<port + 3)
      #expect(try usage <= limit)
    }
    #expect(queue.status.reports > 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: reports).contains("notes.txt"))
    // If others leave no room, nothing more is kept, and that is reported.
    let kept = queue.status.reports
    try Data(repeating: 1, count: limit).write(to: URL(filePath: reports + "/notes.txt"))
    _ = queue.takeProblems()
    try work(queue, ports: 200..<202)
    #expect(queue.status.reports == kept)
    #expect(queue.takeProblems().contains { $0.contains("no room for") })
    #expect(queue.status.dropped[.notStored] == 2)
  }

  /// What is written about a refused report may need the room that the report itself takes.
  @Test func aRefusalInAFullFolder() throws {
    let limit = 60_000
    let queue = try queue(limit)
    try work(queue, ports: 1..<2)
    try Data(repeating: 1, count: limit - usage).write(to: URL(filePath: reports + "/notes.txt"))
    let delivery = try #require(queue.nextDelivery(at: noon))
    queue.finished(delivery.id, .rejected, at: noon)
    #expect(queue.status.reports == 0)
    #expect(queue.status.dropped[.rejected] == 1)
    #expect(try usage <= limit)
  }
}
