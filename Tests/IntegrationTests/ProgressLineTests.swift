import Foundation
import TestSupport
import Testing

/// The progress line, watched on a real terminal.
struct ProgressLineTests {
  @Test func theLineIsThereWhileProbingAndGoneBehindIt() throws {
    // Takes connections and says nothing, so that probing lasts until its time is up.
    let server = try HostileServer(.mute)
    let terminal = try Terminal(columns: 100)
    let hosts = ["one.test", "two.test", "three.test"]
    let options = hosts.map { "--host \($0) --connect-to \($0):443:127.0.0.1:\(server.port)" }
    try terminal.run("\(toolPath) probe \(options.joined(separator: " ")) --timeout 3 --retries 0; echo the end: $?")

    let line = try terminal.wait { $0.contains("probing ") }
    #expect(line.contains("probing 0 of 3 hosts, 0 failures"), "\(line)")
    let end = try terminal.wait { $0.contains("the end: ") }
    #expect(end.contains("the end: 5"), "\(end)")
    #expect(end.contains("P532"), "\(end)")
    #expect(!end.contains("probing "), "\(end)")
  }

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
  private let columns: Int

  init(columns: Int) throws {
    directory = try TemporaryDirectory()
    self.columns = columns
  }

  deinit {
    _ = try? tmux(["kill-server"])
  }

  /// Runs a command of the shell; the terminal stays open behind it.
  func run(_ command: String) throws {
    try tmux([
      "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "40", "-c", directory.path,
      command + "; sleep 60",
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
