import Glibc

/// A program that this one started.
struct ChildProcess {
  /// Where one of its three streams leads.
  enum Stream {
    /// The file of that number.
    case file(Int32)
    /// Nowhere; there is nothing to read.
    case nothing
    /// Where this program's own leads.
    case inherited
    /// Where its output leads.
    case likeOutput
  }

  /// What to start, and how.
  struct Launch {
    /// The program, looked up on the path unless it is one, and its arguments.
    var command: [String]
    var input = Stream.nothing
    var output = Stream.nothing
    /// For what it says to people.
    var talk = Stream.nothing
    /// The variables that it sees.
    var environment: [String]
    /// Whether it sees this program's variables besides, byte for byte: they needn't be UTF-8.
    var inheritsEnvironment = false
    /// Whether it leads a process group of its own, so that everything it starts can be ended with it.
    var leadsGroup = false
    /// The folder that it is started in; this program's own where nil.
    var folder: String?
  }

  /// How it fares.
  enum State {
    case running
    /// It waits to be continued; the signal that stopped it.
    case stopped(Int32)
    /// It has ended, and its number stays its own until ``ChildProcess/wait()``.
    case ended
  }

  /// Its number; that of its process group, too, where it leads one.
  let id: pid_t

  /// Starts a program.
  ///
  /// - Throws: ``StartError`` where there is no such program, say.
  static func start(_ launch: Launch) throws(StartError) -> ChildProcess {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    connect(launch.input, to: STDIN_FILENO, O_RDONLY, &actions)
    connect(launch.output, to: STDOUT_FILENO, O_WRONLY, &actions)
    connect(launch.talk, to: STDERR_FILENO, O_WRONLY, &actions)
    if let folder = launch.folder {
      // Elsewhere, a program named by a relative path would be another one.
      let status = addFolder(&actions, folder)
      guard status == 0 else { throw StartError(number: status) }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var restored = sigset_t()
    sigemptyset(&restored)
    // This process ignores SIGPIPE, but a child whose output is closed must end by it.
    sigaddset(&restored, SIGPIPE)
    if launch.leadsGroup {
      // A job without the terminal must be stopped by these signals. If they are ignored, as this process may have
      // inherited, its reads would fail instead.
      for signal in [SIGTTIN, SIGTTOU, SIGTSTP] { sigaddset(&restored, signal) }
    }
    posix_spawnattr_setsigdefault(&attributes, &restored)
    var flags = Int16(POSIX_SPAWN_SETSIGDEF)
    if launch.leadsGroup { flags |= Int16(POSIX_SPAWN_SETPGROUP) }
    posix_spawnattr_setflags(&attributes, flags)
    var process = pid_t()
    let status = withCStrings(launch.command) { arguments in
      withCStrings(launch.environment, behind: launch.inheritsEnvironment ? inherited(but: launch.environment) : []) {
        posix_spawnp(&process, launch.command[0], &actions, &attributes, arguments, $0)
      }
    }
    guard status == 0 else { throw StartError(number: status) }
    return ChildProcess(id: process)
  }

  /// How it fares now; asking changes nothing.
  var state: State {
    var information = siginfo_t()
    let options = WEXITED | WSTOPPED | WNOHANG | WNOWAIT
    while waitid(P_PID, id_t(id), &information, options) < 0 {
      guard errno == EINTR else { return .ended }
    }
    guard information._sifields._sigchld.si_pid == id else { return .running }
    guard information.si_code == CLD_STOPPED || information.si_code == CLD_TRAPPED else { return .ended }
    return .stopped(information._sifields._sigchld.si_status)
  }

  /// Sends a signal to all of its process group, which it leads.
  func signalGroup(_ number: Int32) {
    kill(-id, number)
  }

  /// Waits for its end, and answers its exit status, or 128 and the number of the signal that ended it.
  func wait() -> Int32 {
    let (status, signal) = waitForEnd()
    return signal == 0 ? status : 128 + signal
  }

  /// Waits for its end, and answers its exit status and the number of the signal that ended it, 0 for none.
  func waitForEnd() -> (status: Int32, signal: Int32) {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      guard errno == EINTR else { return (128, 0) }
    }
    return ((status >> 8) & 0xFF, status & 0x7F)
  }

  private static func connect(
    _ stream: Stream, to number: Int32, _ mode: Int32, _ actions: inout posix_spawn_file_actions_t
  ) {
    switch stream {
    case .file(let file): posix_spawn_file_actions_adddup2(&actions, file, number)
    case .nothing: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0)
    case .inherited: break
    case .likeOutput: posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, number)
    }
  }

  /// This program's variables, without those that are given again.
  private static func inherited(but given: [String]) -> [UnsafeMutablePointer<CChar>?] {
    let names = given.map { $0.prefix { $0 != "=" } + "=" }
    var variables: [UnsafeMutablePointer<CChar>?] = []
    var next = environ
    while let entry = next.pointee {
      if !names.contains(where: { strncmp(entry, String($0), $0.utf8.count) == 0 }) { variables.append(entry) }
      next += 1
    }
    return variables
  }

  private static func withCStrings<Result>(
    _ strings: [String], behind others: [UnsafeMutablePointer<CChar>?] = [],
    _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(others + copies + [nil])
  }
}

/// glibc has it since 2.29, but Swift's module of glibc leaves it out.
@_silgen_name("posix_spawn_file_actions_addchdir_np")
private func addFolder(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ folder: UnsafePointer<CChar>
) -> Int32

/// Why a program could not be started.
struct StartError: Error {
  var number: Int32

  var reason: String { number == ENOENT ? "there is none on the path" : String(cString: strerror(number)) }
}
