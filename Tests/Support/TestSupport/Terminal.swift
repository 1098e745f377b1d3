import Foundation

/// A terminal of tmux, without anybody in front of it.
package final class Terminal {
  private let directory: TemporaryDirectory
  private let server: BackgroundProgram
  private let columns: Int
  private let rows: Int
  private let folder: String

  /// Its shell starts in a folder.
  package init(columns: Int, rows: Int = 40, in folder: String) throws {
    directory = try TemporaryDirectory()
    self.columns = columns
    self.rows = rows
    self.folder = folder
    let socket = directory.path("tmux")
    server = try BackgroundProgram(["tmux", "-S", socket, "-f", "/dev/null", "-D"])
    try server.wait { FileManager.default.fileExists(atPath: socket) }
  }

  /// Runs a command of the shell; the terminal stays open behind it, also where a key interrupts the command.
  package func run(_ command: String) throws {
    try tmux([
      "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", "-c", folder, "trap : INT; \(command); read it",
    ])
  }

  /// Waits until what is on the screen holds, and answers it.
  package func wait(until holds: (String) -> Bool) throws -> String {
    var screen = ""
    for _ in 0..<1_500 {
      screen = try tmux(["capture-pane", "-p"])
      if holds(screen) { return screen }
      usleep(20_000)
    }
    throw RunError.timedOut(program: "pintle", stderr: screen)
  }

  /// Types a text, or presses a key that tmux has a name for, such as `Enter` or `C-c`.
  package func type(_ keys: String...) throws {
    try tmux(["send-keys"] + keys)
  }

  @discardableResult
  private func tmux(_ arguments: [String]) throws -> String {
    let socket = directory.path("tmux")
    return String(decoding: try runSuccessfully("tmux", ["-S", socket] + arguments), as: UTF8.self)
  }
}
