package import Diagnostics
import Glibc

/// A command of the user's that does a part of the work: `exec:COMMAND` of a command line, or a program that a file names.
package struct UserCommand: Sendable {
  /// How such an argument begins; a file or a folder of such a name is written `./exec:…`.
  package static let prefix = "exec:"

  /// Ends this program as a signal does; it has the command's name, to say what happened.
  package typealias Ending = @Sendable (_ name: String, _ signal: Int32) -> Never

  /// What messages call it.
  package let name: String
  /// Where a file names it, in brackets; empty for a command of the command line.
  private let place: String
  /// With a folder, a program and its arguments; without one, a command as the shell reads it.
  private let words: [String]
  private let folder: String?
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
    (words, folder, place) = ([String(command)], nil, "")
    name = Self.name(of: command)
    self.limit = limit
    self.limitOption = limitOption
    self.end = end
  }

  /// A program that is started without a shell and without the terminal.
  ///
  /// What it says on standard error counts as its output. It may repeat what others wrote, which must not reach the
  /// terminal or a log as it is.
  ///
  /// - Parameters:
  ///   - program: The program, looked up on the path or from the folder, and its arguments.
  ///   - folder: The folder that it is started in.
  ///   - place: Where it is named, for messages.
  ///   - limit: How long it may take.
  ///   - end: Called where a signal that asks this program to end came meanwhile.
  package init(
    _ program: [String], in folder: String, namedAt place: String, limit: Duration, endingWith end: @escaping Ending
  ) {
    (words, self.folder, self.place) = (program, folder, " (\(place))")
    name = program.joined(separator: " ")
    self.limit = limit
    limitOption = "'timeout:'"
    self.end = end
  }

  /// The command as sentences about it begin.
  package var title: String { "'\(name)'" + place }

  /// A command by its program, since arguments and variables may be secret.
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
    var run: CommandRun
    do {
      run = try CommandRun.start(words + arguments, in: folder, given: bytes, variables, answerLimit: outputLimit)
    } catch {
      throw WorkFailure(.failed, error.message + place, help: folder.map { _ in "Install it, or give its path." })
    }
    switch run.finish(within: limit) {
    case .ended(let status, signal: 0, let output) where accepted.contains(status): return (status, output)
    case .ended(let status, let signal, let output):
      throw failure(status: status, signal: signal, folder == nil ? "" : Self.lastLine(of: output))
    case .late:
      throw WorkFailure(
        .failed, "\(title) took more than \(counted(Int(limit.components.seconds), "second")) and was ended",
        help: "Give it more time with \(limitOption).")
    case .wordy:
      throw WorkFailure(
        .failed, "\(title) wrote more than \(outputLimit) bytes",
        help: "Have it write \(output) to its standard output, and nothing else.")
    case .withoutTerminal:
      throw WorkFailure(
        .failed, "\(title) asks for something on the terminal, which another job has",
        help: "Run pintle in the foreground.")
    case .interrupted(let signal): end(name, signal)
    }
  }

  private func failure(status: Int32, signal: Int32, _ said: String) -> WorkFailure {
    guard signal == 0 else {
      return WorkFailure(
        .failed, "\(title) was ended by signal \(signal) (\(String(cString: strsignal(signal))))" + said)
    }
    let help: String? =
      switch status {
      case _ where folder != nil: "If it works, its exit status must be 0, whatever it has found."
      case 126: "The shell found the program and may not run it: see what it said above."
      case 127: "The shell found no such program: give its path, or add its folder to PATH."
      default: nil
      }
    return WorkFailure(.failed, "\(title) failed with status \(status)" + said, help: help)
  }

  /// What it said at last, such as the error that ended it; one line that can be shown.
  private static func lastLine(of output: [UInt8]) -> String {
    let line = output.suffix(4_096).split(separator: UInt8(ascii: "\n")).last ?? []
    return line.isEmpty ? "" : ": " + VisibleText.of(String(decoding: line.prefix(300), as: UTF8.self))
  }
}
