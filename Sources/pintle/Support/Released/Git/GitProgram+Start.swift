import Glibc

extension GitProgram {
  /// Starts `git` in the directory.
  ///
  /// - Throws: ``CommandFailure`` where there is no such program.
  func start(
    _ arguments: [String], input: ChildProcess.Stream, output: Int32, talk: ChildProcess.Stream
  ) throws(CommandFailure) -> ChildProcess {
    do {
      return try ChildProcess.start(
        ChildProcess.Launch(
          command: self.arguments + arguments, input: input, output: .file(output), talk: talk,
          environment: Self.environment))
    } catch {
      throw CommandFailure(
        .failed, "can't run git: \(error.reason)",
        help: "Install git, or name a manifest or a directory in place of a commit.")
    }
  }

  /// All that `git` sees: where programs and configurations are, and no to everything else.
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
}
