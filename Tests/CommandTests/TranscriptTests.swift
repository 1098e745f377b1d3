import Foundation
import TestSupport
import Testing

/// The command line as people meet it: each file of `Transcripts/` is a terminal session that is run again.
///
/// `PINTLE_RECORD=1` writes what the commands print now into the files; read the difference before you commit it.
struct TranscriptTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Transcripts")

  static let names =
    (try? FileManager.default.contentsOfDirectory(atPath: folder.path()))?
    .filter { $0.hasSuffix(".txt") }.sorted() ?? []

  @Test func thereAreTranscripts() {
    #expect(Self.names.count >= 9)
  }

  @Test(arguments: names)
  func commandsPrintWhatTheTranscriptSays(name: String) throws {
    let file = Self.folder.appending(path: name)
    let expected = Transcript(try String(contentsOf: file, encoding: .utf8))
    var actual = expected
    let place = try Workplace()
    for (index, step) in expected.steps.enumerated() {
      let result = try place.run(step.command)
      actual.steps[index].output = Self.lines(place.normalised(result.stdoutText))
      actual.steps[index].complaints = Self.lines(place.normalised(result.stderrText))
      actual.steps[index].status = result.status
      actual.steps[index].trim()
      try place.expectProposalsRun(in: result, after: step.command, name)
    }
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1" {
      try actual.text.write(to: file, atomically: true, encoding: .utf8)
    }
    // A failed comparison must not be recorded as the expected output.
    #expect(!actual.text.contains(" differ: byte "), "\(name)")
    for (wanted, found) in zip(expected.steps, actual.steps) {
      #expect(found == wanted, "\(name): $ \(wanted.command)")
    }
  }

  private static func lines(_ text: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}
