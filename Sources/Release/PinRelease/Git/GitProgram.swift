import Diagnostics
import Glibc

/// The `git` of the machine, asked so that nothing but reading local objects can happen.
///
/// Commands are argument vectors, never a shell's. Nothing is written, nothing is fetched, and no hook, pager, filter or
/// prompt runs, whatever the repository's own configuration says.
struct GitProgram: Sendable {
  /// What a command came to.
  struct Answer {
    var status: Int32
    var output: [UInt8]
    /// What it complained of, in one line.
    var complaint: String
  }

  /// Where commands run.
  let directory: String

  /// Runs a command to its end.
  ///
  /// - Parameters:
  ///   - arguments: The command and its arguments.
  ///   - limit: The most bytes of output that are taken.
  /// - Returns: What it came to.
  /// - Throws: ``WorkFailure`` where it can't be run, or says more than that.
  func run(_ arguments: [String], limit: Int = 65_536) throws(WorkFailure) -> Answer {
    guard let answer = try runShort(arguments, limit: limit) else {
      throw WorkFailure(
        .failed, "git lists more than \(limit) bytes below '\(directory)'",
        help: "Keep the policy in a directory that holds little else.")
    }
    return answer
  }

  /// The same; nil where it says more than that.
  func runShort(_ arguments: [String], limit: Int) throws(WorkFailure) -> Answer? {
    var output = try Pipe()
    var talk = try Pipe()
    let child = try start(arguments, input: .nothing, output: output.writing, talk: .file(talk.writing))
    output.closeWriting()
    talk.closeWriting()
    var answer: [UInt8] = []
    var complaint: [UInt8] = []
    var isReading = (output: true, talk: true)
    // Both are read at once: a program that blocks on one pipe would never finish the other.
    while isReading.output || isReading.talk, answer.count <= limit {
      var ends = [
        pollfd(fd: isReading.output ? output.reading : -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: isReading.talk ? talk.reading : -1, events: Int16(POLLIN), revents: 0),
      ]
      if poll(&ends, nfds_t(ends.count), -1) < 0 {
        if errno == EINTR { continue }
        break
      }
      if ends[0].revents != 0 {
        if let chunk = Pipe.chunk(from: output.reading) { answer += chunk } else { isReading.output = false }
      }
      if ends[1].revents != 0 {
        if let chunk = Pipe.chunk(from: talk.reading) {
          complaint += chunk.prefix(max(0, 65_536 - complaint.count))
        } else {
          isReading.talk = false
        }
      }
    }
    output.closeReading()
    talk.closeReading()
    let status = child.wait()
    guard answer.count <= limit else { return nil }
    return Answer(status: status, output: answer, complaint: Self.gist(of: complaint))
  }

  /// What to say of a directory that git refuses to look at.
  func unusable(_ reason: String, help: String) -> WorkFailure {
    var help = help
    if reason.contains("dubious ownership") {
      // git names the repository in quotes.
      let repository = reason.split(separator: "'").dropFirst().first ?? "*"
      help =
        "Another user owns the files, as in containers of CI. If you trust them, run: git config --global --add "
        + "safe.directory '\(repository)'"
    }
    return WorkFailure(
      .failed, "'\(VisibleText.of(directory))' can't be looked up in git: \(reason)", help: help)
  }

  /// What every command begins with.
  ///
  /// Replaced objects are not what was committed. A directory inside the policy that looks like a bare repository isn't
  /// taken for one, and no program is run that a configuration names.
  var arguments: [String] {
    [
      "git", "-C", directory.isEmpty ? "." : directory, "--no-pager", "--no-replace-objects", "--no-optional-locks",
      "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "safe.bareRepository=explicit",
      "-c", "protocol.allow=never",
    ]
  }

  /// The line that says why git gave up, behind which there may be hints; without such, the last one.
  private static func gist(of bytes: [UInt8]) -> String {
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    let mark = "fatal: "
    if let fatal = lines.last(where: { $0.hasPrefix(mark) }) { return String(fatal.dropFirst(mark.count)) }
    return lines.last ?? ""
  }
}

extension GitProgram {
  /// Starts `git` in the directory.
  ///
  /// - Throws: ``WorkFailure`` where there is no such program.
  func start(
    _ arguments: [String], input: ChildProcess.Stream, output: Int32, talk: ChildProcess.Stream
  ) throws(WorkFailure) -> ChildProcess {
    do {
      return try ChildProcess.start(
        ChildProcess.Launch(
          command: self.arguments + arguments, input: input, output: .file(output), talk: talk,
          environment: Self.environment))
    } catch {
      throw WorkFailure(
        .failed, "can't run git: \(error.reason)",
        help: "This command needs git.")
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
