#if Collector
import Foundation
import Glibc
import PinFormat
import PinReports
import Testing

@testable import PinCollector

/// Each report is a line for those who have a log pipeline.
@Suite struct ForwardTests {
  @Test func eachReportIsALine() async throws {
    let scratch = try Scratch()
    try await RunningCollector.run(change: { $0.forward = scratch.file("lines") }) { collector async throws in
      try await AnswerTests.fill(collector)
      _ = try await collector.post(Samples.aggregate(id: "a-2", reporter: "shop", serial: 41).encoded())
      _ = try await collector.post(Array("{}".utf8))
    }
    let text = scratch.read("lines")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // Six mismatches, and four times counts of three entries, one of them repeated. Rejected reports have no line, and the
    // last line ends with a line break.
    #expect(lines.count == 23 && lines.last == "")
    #expect(Set(lines).count == 23 - 4)
    for line in lines.dropLast() {
      let value = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(value?["received"] as? String == "2026-11-21T12:00:00Z")
    }
    try Snapshot.check(text, "forward.jsonl")
  }

  @Test func aFileThatWasRenamedIsLeftBehind() async throws {
    let scratch = try Scratch()
    let log = try ForwardLog(scratch.file("lines"))
    #expect(await log.write([Array("one\n".utf8)]).isEmpty)
    try FileManager.default.moveItem(atPath: scratch.file("lines"), toPath: scratch.file("old"))
    #expect(await log.write([Array("two\n".utf8)]).isEmpty)
    try log.reopen()
    #expect(await log.write([Array("three\n".utf8)]).isEmpty)
    #expect(scratch.read("old") == "one\ntwo\n")
    #expect(scratch.read("lines") == "three\n")
  }

  @Test func aLineIsBounded() throws {
    var sighting = try #require(
      try { if case .mismatch(let sighting) = try Samples.arrival(Samples.rfc7469()) { sighting } else { nil } }())
    sighting.certificates = String(repeating: "\u{1}", count: ForwardLine.longest)
    let widest = String(repeating: "é", count: 128)
    let failures = (0..<64).map {
      AggregateReport.Failure(kind: "\($0)" + widest.dropFirst(), code: widest, count: .max)
    }
    let report = Samples.aggregate(
      reporter: widest,
      hosts: [AggregateReport.Host](
        repeating: .init(entry: widest, mode: .enforce, counts: .init(successes: 1, failures: failures)), count: 20))
    let counts = ForwardLine.lines(of: try Samples.arrival(report.encoded()), at: Samples.now)
    #expect(counts.count == 1 + 20 * 4)
    for line in ForwardLine.lines(of: .mismatch(sighting), at: Samples.now) + counts {
      #expect(line.count < ForwardLine.longest && line.last == UInt8(ascii: "\n"))
      #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
    }
  }

  /// A line contains no line break of any program, no terminal control and no change of text direction.
  @Test func aLineIsASCII() throws {
    let text = "e\u{301}\u{85}\u{9B}31m\u{2028}\u{202E}\u{FEFF}😀"
    let arrival = try Samples.arrival(Samples.trustKit(adding: ["app-bundle-id": text, "app-version": ""]))
    let line = try #require(ForwardLine.lines(of: arrival, at: Samples.now).first)
    #expect(line.dropLast().allSatisfy { $0 >= 0x20 && $0 < 0x7F })
    let value = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any]
    #expect(value?["reporter"] as? String == text)
  }

  /// A line that was broken off spoils no other, and who doesn't read is waited for once.
  @Test func aPipelineThatReadsAgainGoesOn() async throws {
    let pipe = try FullPipe(try Scratch().file("pipe"))
    defer { pipe.close() }
    let log = try ForwardLog(pipe.path, patience: .milliseconds(50))
    let line = Array("one\n".utf8)
    #expect(
      await log.write([line, line]) == ["the reader doesn't read the lines", "the reader doesn't read the lines"])
    #expect(pipe.empty().allSatisfy { $0 == UInt8(ascii: "-") })
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    #expect(await log.write([line, long]) == ["the reader doesn't read the lines"])
    let torn = pipe.empty()
    #expect(torn.starts(with: line) && torn.dropFirst(line.count).allSatisfy { $0 == UInt8(ascii: "x") })
    #expect(await log.write([line, line]).isEmpty)
    #expect(String(decoding: pipe.empty(), as: UTF8.self) == "\none\none\n")
  }

  @Test func aPipeThatNobodyReadsIsRefused() throws {
    let path = try Scratch().file("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let error = #expect(throws: ForwardError.self) { try ForwardLog(path) }
    #expect(error?.message == "can't open '\(path)': it has no reader")
  }

  @Test func aFullDiskIsCountedAndReportsAreStored() async throws {
    try await RunningCollector.run(change: { $0.forward = "/dev/full" }) { collector async throws in
      #expect(try await collector.post(Samples.rfc7469()).status == 204)
      #expect(try await collector.get("/v1/status").body.contains(#""not-forwarded":1"#))
      #expect(try await collector.get("/v1/hosts").body.contains("api.example.com"))
    }
  }
}
#endif
