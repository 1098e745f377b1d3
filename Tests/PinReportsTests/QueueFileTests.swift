import Foundation
import PinFormat
import PinReports
import TestSupport
import Testing

/// What a killed process, a broken disk or another process does to the queue's files.
@Suite struct QueueFileTests {
  let bench: Bench
  let directory: TemporaryDirectory
  let noon: Instant

  init() throws {
    bench = try Bench()
    directory = try TemporaryDirectory()
    noon = try instant(Bench.noon)
    // Two reports, counts, memory and pace: one file of each kind.
    let recorder = ReportRecorder()
    let queue = try ReportQueue(.test(directory), at: noon)
    for port in [1, 2, 3] as [UInt16] {
      let entry = try Bench.entry(
        "api.example.com", port: port, to: ["https://a.example.org/", "https://b.example.org/"])
      recorder.record(try bench.judge("api.example.com", port: port, try bench.manifest([entry])))
    }
    queue.collect(from: recorder, at: noon)
    for outcome in [DeliveryOutcome.delivered, .retryLater(afterSeconds: nil)] {
      let delivery = try #require(queue.nextDelivery(at: noon))
      queue.finished(delivery.id, outcome, at: noon)
    }
    #expect(queue.takeProblems().isEmpty)
  }

  var names: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
  }

  /// Where it has been is known after a restart: what was delivered isn't sent again, what failed waits.
  @Test func goesOnAfterARestart() throws {
    let queue = try ReportQueue(.test(directory), at: noon)
    #expect(queue.status.reports == 3)
    #expect(queue.status.pending == 5)
    let sent = queue.deliverAll(at: noon)
    #expect(sent.count == 3 - 1)
    #expect(Set(sent.map(\.uri)) == ["https://a.example.org/"])
    let rest = queue.deliverAll(at: noon.adding(seconds: 60))
    #expect(rest.count == 3)
    #expect(Set(rest.map(\.uri)) == ["https://b.example.org/"])
    #expect(rest.map(\.earlierAttempts).sorted() == [0, 0, 1])
  }

  /// Cut at any place, any byte changed: the file is set aside and counted, and the rest is delivered.
  @Test func setsDamagedFilesAside() throws {
    var generator = SeededGenerator(seed: 5)
    let whole = try names.map { ($0, try directory.read($0)) }
    for round in 0..<60 {
      let (name, bytes) = generator.pick(whole.filter { $0.0 != "lock" })
      let place = generator.below(bytes.count)
      var damaged = bytes
      if round % 2 == 0 {
        damaged.removeSubrange(place...)
      } else {
        damaged[place] ^= UInt8(1 << generator.below(8))
      }
      try directory.write(damaged, to: name)
      let queue = try ReportQueue(.test(directory), at: noon.adding(seconds: 120))
      let isReport = name.hasPrefix("report-")
      #expect(queue.status.reports == (isReport ? 2 : 3), "\(name), byte \(place)")
      #expect(queue.status.dropped == (isReport ? [.corrupt: 1] : [:]))
      if name != "pace" { #expect(queue.takeProblems().count == 1) }
      #expect(queue.deliverAll(at: noon.adding(seconds: 120)).count >= 3)
      for file in names { try FileManager.default.removeItem(atPath: directory.path(file)) }
      for (name, bytes) in whole { try directory.write(bytes, to: name) }
    }
  }

  /// A file that is damaged while the process runs is noticed before it is sent.
  @Test func sendsNoDamagedReport() throws {
    let queue = try ReportQueue(.test(directory), at: noon)
    let later = noon.adding(seconds: 120)
    for name in names where name.hasPrefix("report-") {
      var bytes = try directory.read(name)
      bytes[bytes.count - 9] ^= 1
      try directory.write(bytes, to: name)
    }
    #expect(queue.nextDelivery(at: later) == nil)
    #expect(queue.status.reports == 0)
    #expect(queue.status.dropped == [.corrupt: 5])
    #expect(names.filter { $0.hasPrefix("damaged-report-") }.count == 3)
  }

  /// What a killed process had half written is removed; damaged files don't pile up.
  @Test func cleansUp() throws {
    for number in 0..<40 {
      try directory.write("half", to: "report-00000000000000\(10 + number).x\(number)")
      try directory.write("damaged", to: "report-00000000000000\(10 + number)")
    }
    try directory.write("mine", to: "notes.txt")
    let queue = try ReportQueue(.test(directory), at: noon)
    #expect(queue.status.reports == 3)
    #expect(!names.contains { $0.contains(".x") })
    #expect(names.filter { $0.hasPrefix("damaged-") }.count <= 16)
    #expect(names.contains("notes.txt"))
  }

  @Test func belongsToOneProcess() throws {
    let queue = try ReportQueue(.test(directory), at: noon)
    #expect(throws: (any Error).self) { try ReportQueue(.test(directory), at: noon) }
    do {
      _ = try ReportQueue(.test(directory), at: noon)
    } catch {
      #expect(error.code == .inUse)
    }
    #expect(queue.status.reports == 3)
  }

  @Test func saysWhenTheFolderIsNotThere() throws {
    var settings = ReportSettings.test(directory)
    settings.directory += "/missing"
    do {
      _ = try ReportQueue(settings, at: noon)
      Issue.record("opened")
    } catch {
      #expect(error.code == .unusableFolder)
      #expect(error.message.contains("/missing"))
    }
  }

  /// The clock is set forward for years and back again: nothing is lost but what was too old, and nothing waits for ever.
  @Test func survivesAClockThatJumps() throws {
    let queue = try ReportQueue(.test(directory), at: noon)
    let past = noon.adding(seconds: -400 * 86_400)
    while let delivery = queue.nextDelivery(at: past) {
      queue.finished(delivery.id, .retryLater(afterSeconds: nil), at: past)
    }
    let next = try #require(queue.nextDeliveryTime(at: past))
    #expect(next.seconds(since: past) <= 6 * 3_600)
    var count = 0
    for hour in 0..<48 { count += queue.deliverAll(at: past.adding(seconds: Int64(hour) * 3_600)).count }
    #expect(count == 5)
  }
}
