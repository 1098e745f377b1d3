import Glibc

/// A running `git`.
struct GitChild {
  private let process: pid_t

  /// Starts a program that is looked up on the path.
  ///
  /// - Parameters:
  ///   - command: The program and its arguments.
  ///   - input: The number of the file that it reads, or nil for one that is empty.
  ///   - output: The number of the file that it writes to.
  ///   - talk: The number of the file for what it complains of, or nil for nowhere.
  /// - Returns: The program, running.
  /// - Throws: ``CommandFailure`` where there is no such program.
  static func start(
    _ command: [String], input: Int32?, output: Int32, talk: Int32?
  ) throws(CommandFailure) -> GitChild {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    connect(input, to: STDIN_FILENO, O_RDONLY, &actions)
    connect(output, to: STDOUT_FILENO, O_WRONLY, &actions)
    connect(talk, to: STDERR_FILENO, O_WRONLY, &actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // This process ignores SIGPIPE; a program that nobody reads any longer has to end by it.
    var pipe = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &pipe)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var process = pid_t()
    let status = withCStrings(command) { arguments in
      withCStrings(environment) { posix_spawnp(&process, command[0], &actions, &attributes, arguments, $0) }
    }
    guard status == 0 else {
      let reason = status == ENOENT ? "there is none on the path" : String(cString: strerror(status))
      throw CommandFailure(
        .failed, "can't run git: \(reason)",
        help: "Install git, or name a manifest or a directory in place of a commit.")
    }
    return GitChild(process: process)
  }

  /// Waits for its end, and answers its exit status, or 128 and the number of the signal that ended it.
  func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return 128 }
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  private static func connect(
    _ file: Int32?, to number: Int32, _ mode: Int32, _ actions: inout posix_spawn_file_actions_t
  ) {
    if let file {
      posix_spawn_file_actions_adddup2(&actions, file, number)
    } else {
      posix_spawn_file_actions_addopen(&actions, number, "/dev/null", mode, 0)
    }
  }

  /// All that the program sees: where programs and configurations are, and no to everything else.
  ///
  /// Variables such as `GIT_DIR`, which git sets for its hooks, would make it look elsewhere than in the directory that
  /// is asked about.
  private static var environment: [String] {
    let kept = [
      "PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
      "GIT_CEILING_DIRECTORIES",
    ]
    return kept.compactMap { name in getenv(name).map { name + "=" + String(cString: $0) } } + [
      "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=/bin/false",
      "SSH_ASKPASS=/bin/false", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_PAGER=cat",
    ]
  }

  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}
