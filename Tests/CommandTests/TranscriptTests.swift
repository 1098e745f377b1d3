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
    }
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1" {
      try actual.text.write(to: file, atomically: true, encoding: .utf8)
    }
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

/// A folder of its own with the fixtures that transcripts use, and the tool on the path.
struct Workplace {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    let tests = TranscriptTests.folder.deletingLastPathComponent()
    try Self.copy(tests.appending(path: "Fixtures"), into: directory.path)
    let keys = directory.path("policies/keys")
    try FileManager.default.createDirectory(atPath: keys, withIntermediateDirectories: false)
    try Self.copy(tests.deletingLastPathComponent().appending(path: "Fixtures/examples/keys"), into: keys)
    // Git keeps no permissions but the executable bit.
    for key in ["release.key", "second.key"] {
      let path = directory.path("signing/" + key)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
  }

  private static func copy(_ folder: URL, into place: String) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path()) {
      try FileManager.default.copyItem(atPath: folder.appending(path: name).path(), toPath: place + "/" + name)
    }
  }

  /// Runs a shell command in the folder; nothing of the caller's environment but the path reaches it.
  func run(_ command: String) throws -> RunResult {
    let environment = [
      "PATH": Self.toolFolder + ":/usr/bin:/bin", "TZ": "UTC", "LC_ALL": "C.UTF-8", "HOME": directory.path,
    ]
    return try TestSupport.run(
      "/bin/sh", ["-c", command], environment: environment, directory: directory.path)
  }

  /// The text without what differs from run to run.
  func normalised(_ text: String) -> String {
    text.replacingOccurrences(of: directory.path, with: "/workplace")
  }

  /// Where the build put `pintle`: beside the test bundle that is running.
  private static let toolFolder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().path()
}
