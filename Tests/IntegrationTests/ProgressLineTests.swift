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

/// A terminal of tmux, without anybody in front of it.
private final class Terminal {
  private let directory: TemporaryDirectory
  private let server: BackgroundProgram
  private let columns: Int
  private let folder: String

  /// Its shell stands in a folder.
  init(columns: Int, in folder: String) throws {
    directory = try TemporaryDirectory()
    self.columns = columns
    self.folder = folder
    let socket = directory.path("tmux")
    server = try BackgroundProgram(["tmux", "-S", socket, "-f", "/dev/null", "-D"])
    try server.wait { FileManager.default.fileExists(atPath: socket) }
  }

  /// Runs a command of the shell; the terminal stays open behind it.
  func run(_ command: String) throws {
    try tmux([
      "new-session", "-d", "-x", "\(columns)", "-y", "40", "-c", folder, command + "; read it",
    ])
  }

  /// Waits until what is on the screen holds, and answers it.
  func wait(until holds: (String) -> Bool) throws -> String {
    var screen = ""
    for _ in 0..<1_500 {
      screen = try tmux(["capture-pane", "-p"])
      if holds(screen) { return screen }
      usleep(20_000)
    }
    throw RunError.timedOut(program: "pintle", stderr: screen)
  }

  @discardableResult
  private func tmux(_ arguments: [String]) throws -> String {
    let socket = directory.path("tmux")
    return String(decoding: try runSuccessfully("tmux", ["-S", socket] + arguments), as: UTF8.self)
  }
}
