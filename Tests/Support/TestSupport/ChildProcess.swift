import Glibc
import Synchronization

/// A program whose signals, output and exit status are the test's own business.
///
/// Foundation's `Process` ends this process where it has more than a thousand or so open files, as a flood of connections
/// has.
package final class ChildProcess: Sendable {
  package let pid: Int32
  private let end = Mutex<Int32?>(nil)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: A path, or a name that is looked up in `PATH`, and its arguments.
  ///   - variables: What is added to the environment of this process.
  ///   - directory: Where it works; unless given, where this process does.
  ///   - stdin: The file that it reads.
  ///   - stdout: The file that it writes to.
  ///   - stderr: The file for its messages; unless given, the same.
  /// - Throws: ``RunError`` where it can't be started.
  package init(
    _ command: [String], adding variables: [String: String] = [:], directory: String? = nil,
    stdin: String = "/dev/null", stdout: String, stderr: String? = nil
  ) throws {
    let files = SpawnedFiles(stdin: stdin, stdout: stdout, stderr: stderr)
    pid = try spawn(command, adding: variables, directory: directory, files)
  }

  /// Its exit status, or 128 and the number of the signal that ended it; nil as long as it runs.
  package var status: Int32? {
    end.withLock { end in
      var status: Int32 = 0
      if end == nil, waitpid(pid, &status, WNOHANG) == pid { end = exitStatus(status) }
      return end
    }
  }

  package var isRunning: Bool { status == nil }

  /// Sends a signal; nothing happens once its end is known, as its number may be another's then.
  package func signal(_ number: Int32) {
    end.withLock { if $0 == nil { kill(pid, number) } }
  }

  /// Waits for its end without keeping a thread; nil where the time is up before.
  package func ended(within limit: Duration) async throws -> Int32? {
    let deadline = ContinuousClock.now + limit
    while true {
      if let status { return status }
      guard ContinuousClock.now < deadline else { return nil }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
