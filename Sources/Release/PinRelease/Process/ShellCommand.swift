package import Diagnostics
import Glibc

/// A command of the user's that does a part of the work, as `exec:COMMAND` names it.
package struct ShellCommand: Sendable {
  /// How such an argument begins; a file or a folder of such a name is written `./exec:…`.
  package static let prefix = "exec:"

  /// Ends this program as a signal does; it has the command's name, to say what happened.
  package typealias Ending = @Sendable (_ name: String, _ signal: Int32) -> Never

  private let command: String
  private let limit: Duration
  private let limitOption: String
  private let end: Ending

  /// - Parameters:
  ///   - command: The part behind `exec:`.
  ///   - limit: How long it may take.
  ///   - limitOption: The option that sets the limit.
  ///   - end: Called where a signal that asks this program to end came meanwhile.
  package init(
    _ command: some StringProtocol, limit: Duration, setBy limitOption: String, endingWith end: @escaping Ending
  ) {
    self.command = String(command)
    self.limit = limit
    self.limitOption = limitOption
    self.end = end
  }

  /// The command as messages name it: by the program, since arguments and variables may be secret.
  package var name: String { Self.name(of: command) }

  package static func name(of command: some StringProtocol) -> String { prefix + program(of: String(command)) }

  private static func program(of command: String) -> String {
    let words = command.split { $0 == " " || $0 == "\t" || $0 == "\n" }
    guard let word = words.first else { return "" }
    // `NAME=value` before a program sets a variable of its environment.
    guard !word.contains("=") else { return "…" }
    return words.count > 1 ? word + " …" : String(word)
  }

  /// Runs the command to its end.
  ///
  /// - Parameters:
  ///   - arguments: Arguments that follow its own.
  ///   - bytes: What is on its standard input.
  ///   - variables: What its environment has besides this program's.
  ///   - output: What it is to write to its standard output, as messages name it.
  ///   - outputLimit: The most bytes of that.
  ///   - accepted: The exit statuses that aren't a failure.
  /// - Returns: Its exit status, which is an accepted one, and its output.
  /// - Throws: ``WorkFailure`` where it fails.
  package func run(
    _ arguments: [String] = [], given bytes: [UInt8] = [], variables: [String] = [], output: String, outputLimit: Int,
    accepted: Set<Int32> = [0]
  ) throws(WorkFailure) -> (status: Int32, output: [UInt8]) {
    var run = try CommandRun.start(command, arguments, given: bytes, variables, answerLimit: outputLimit)
    switch run.finish(within: limit) {
    case .ended(let status, signal: 0, let output) where accepted.contains(status): return (status, output)
    case .ended(let status, let signal, _): throw failure(status: status, signal: signal)
    case .late:
      throw WorkFailure(
        .failed, "'\(name)' took more than \(counted(Int(limit.components.seconds), "second")) and was ended",
        help: "Give it more time with \(limitOption).")
    case .wordy:
      throw WorkFailure(
        .failed, "'\(name)' wrote more than \(outputLimit) bytes",
        help: "Have it write \(output) to its standard output, and nothing else.")
    case .withoutTerminal:
      throw WorkFailure(
        .failed, "'\(name)' asks for something on the terminal, which another job has",
        help: "Run pintle in the foreground.")
    case .interrupted(let signal): end(name, signal)
    }
  }

  private func failure(status: Int32, signal: Int32) -> WorkFailure {
    guard signal == 0 else {
      return WorkFailure(.failed, "'\(name)' was ended by signal \(signal) (\(String(cString: strsignal(signal))))")
    }
    let help: String? =
      switch status {
      case 126: "The shell found the program and may not run it: see what it said above."
      case 127: "The shell found no such program: give its path, or add its folder to PATH."
      default: nil
      }
    return WorkFailure(.failed, "'\(name)' failed with status \(status)", help: help)
  }
}
