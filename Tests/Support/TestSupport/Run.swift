import Foundation
import Glibc

/// What became of a program.
package struct RunResult: Sendable {
  /// The exit status, or 128 and the signal's number where a signal ended it.
  package var status: Int32
  package var stdout: [UInt8]
  package var stderr: [UInt8]

  package var stdoutText: String { String(decoding: stdout, as: UTF8.self) }
  package var stderrText: String { String(decoding: stderr, as: UTF8.self) }
}

/// Why a program's result is of no use.
package enum RunError: Error, CustomStringConvertible {
  case notStarted(program: String, reason: String)
  case timedOut(program: String, stderr: String)
  case failed(command: String, status: Int32, stderr: String)

  package var description: String {
    switch self {
    case .notStarted(let program, let reason): "can't start \(program): \(reason)"
    case .timedOut(let program, let stderr): "\(program) did not end in time\n\(stderr)"
    case .failed(let command, let status, let stderr): "\(command) ended with \(status)\n\(stderr)"
    }
  }
}

/// Runs a program to its end, or kills it when its time is up.
///
/// The program is a path, or a name that is looked up in `PATH`. The environment is all that the program sees; nil
/// for that of this process.
package func run(
  _ program: String, _ arguments: [String] = [], stdin: [UInt8] = [], environment: [String: String]? = nil,
  directory: String? = nil, timeLimit: Duration = .seconds(60)
) throws -> RunResult {
  // Files rather than pipes, so that a program never waits for a reader.
  let files = try TemporaryDirectory()
  let input = try files.write(stdin, to: "stdin")
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 1, files.path("stdout"), O_WRONLY | O_CREAT, 0o600)
  posix_spawn_file_actions_addopen(&actions, 2, files.path("stderr"), O_WRONLY | O_CREAT, 0o600)

  let command = (directory.map { ["env", "-C", $0] } ?? []) + [program] + arguments
  let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0.key)=\($0.value)" }.sorted()
  var pid = pid_t()
  let status = withCStrings(command) { arguments in
    withCStrings(variables) { posix_spawnp(&pid, command[0], &actions, nil, arguments, $0) }
  }
  guard status == 0 else { throw RunError.notStarted(program: program, reason: String(cString: strerror(status))) }

  guard let ended = wait(for: pid, atMost: timeLimit) else {
    kill(pid, SIGKILL)
    _ = wait(for: pid, atMost: .seconds(10))
    throw RunError.timedOut(program: program, stderr: String(decoding: try files.read("stderr"), as: UTF8.self))
  }
  return RunResult(status: ended, stdout: try files.read("stdout"), stderr: try files.read("stderr"))
}

/// Runs a program that must succeed, and answers what it wrote to standard output.
@discardableResult
package func runSuccessfully(
  _ program: String, _ arguments: [String], stdin: [UInt8] = [], directory: String? = nil
) throws -> [UInt8] {
  let result = try run(program, arguments, stdin: stdin, directory: directory)
  guard result.status == 0 else {
    let command = ([program] + arguments).joined(separator: " ")
    throw RunError.failed(command: command, status: result.status, stderr: result.stderrText)
  }
  return result.stdout
}

/// Where a program that goes on in the background reads and writes; all are paths.
struct SpawnedFiles {
  var stdin = "/dev/null"
  var stdout: String
  /// Where standard output goes, unless given.
  var stderr: String?
}

/// Starts a program that goes on in the background.
///
/// The variables are added to those of this process.
func spawn(
  _ command: [String], adding added: [String: String] = [:], directory: String? = nil, _ files: SpawnedFiles,
  ownGroup: Bool = false
) throws -> pid_t {
  var attributes = posix_spawnattr_t()
  posix_spawnattr_init(&attributes)
  defer { posix_spawnattr_destroy(&attributes) }
  // The program would inherit blocked signals, and could not be asked to end then.
  var none = sigset_t()
  sigemptyset(&none)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | (ownGroup ? Int16(POSIX_SPAWN_SETPGROUP) : 0))
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, files.stdin, O_RDONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 1, files.stdout, O_WRONLY | O_CREAT | O_APPEND, 0o600)
  if let stderr = files.stderr {
    posix_spawn_file_actions_addopen(&actions, 2, stderr, O_WRONLY | O_CREAT | O_APPEND, 0o600)
  } else {
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
  }
  let command = (directory.map { ["env", "-C", $0] } ?? []) + command
  let environment = ProcessInfo.processInfo.environment.merging(added) { $1 }
  let variables = environment.map { "\($0.key)=\($0.value)" }
  var pid = pid_t()
  let status = withCStrings(command) { arguments in
    withCStrings(variables) { posix_spawnp(&pid, command[0], &actions, &attributes, arguments, $0) }
  }
  guard status == 0 else { throw RunError.notStarted(program: command[0], reason: String(cString: strerror(status))) }
  return pid
}

/// Ends a program that was started in the background, and waits for its end.
func stop(_ pid: pid_t, _ ending: BackgroundProgram.Ending) {
  switch ending {
  case .alone:
    // It has nothing to lose, and may have been started with signals blocked.
    kill(pid, SIGKILL)
    _ = wait(for: pid, atMost: .seconds(5))
  case .group(let signal):
    kill(pid, signal)
    if wait(for: pid, atMost: .seconds(5)) == nil { kill(pid, SIGKILL) }
    kill(-pid, SIGKILL)
    _ = wait(for: pid, atMost: .seconds(5))
  }
}

private func wait(for pid: pid_t, atMost limit: Duration) -> Int32? {
  let end = ContinuousClock.now + limit
  var pause: UInt32 = 500
  while true {
    var status: Int32 = 0
    let ended = waitpid(pid, &status, WNOHANG)
    if ended == pid { return exitStatus(status) }
    // Somebody else has waited for it already.
    if ended < 0, errno == ECHILD { return 0 }
    guard ContinuousClock.now < end else { return nil }
    usleep(pause)
    pause = min(pause * 2, 20_000)
  }
}

/// What `waitpid` says as a shell says it: 128 and the signal's number where a signal ended the program.
func exitStatus(_ status: Int32) -> Int32 {
  let signal = status & 0x7F
  return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
}

private func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
