import Foundation
import TestSupport
import Testing

/// The progress line, watched on a real terminal.
struct ProgressLineTests {
  /// The README's example, with one host that refuses at once and others that take their time.
  @Test func theLineIsThereWhileProbingAndGoneBehindIt() throws {
    let mute = try HostileServer(.mute)
    let terminal = try Terminal(columns: 100, in: Self.example)
    let refusing = "--connect-to api.example.com::127.0.0.1:\(try freePort())"
    try terminal.run(
      "\(toolPath) probe policies --at 2026-11-22 \(refusing) --connect-to ::127.0.0.1:\(mute.port) --timeout 4 --retries 0; "
        + "echo the end: $?")

    let line = try terminal.wait { $0.contains("probing 1 of 3 hosts, 1 failure") }
    #expect(line.split(separator: "\n").count == 1, "\(line)")
    let end = try terminal.wait { $0.contains("the end: ") }
    #expect(end.contains("the end: 5"), "\(end)")
    #expect(end.contains("P531") && end.contains("P532"), "\(end)")
    #expect(!end.contains("probing "), "\(end)")
  }

  private static let example = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../docs/examples/probing").standardizedFileURL.path()

  @Test func aPipeSeesNoLine() throws {
    let server = try HostileServer(.mute)
    let options = ["--host", "one.test", "--connect-to", "one.test:443:127.0.0.1:\(server.port)"]
    let directory = try TemporaryDirectory()
    let result = try run(
      toolPath, ["probe", "--timeout", "1", "--retries", "0"] + options, directory: directory.path)
    #expect(result.status == 5)
    #expect(!result.stderrText.contains("probing "), "\(result.stderrText)")
  }
}
