package import Diagnostics
import Glibc

/// A program of the user's that is started without a shell and without the terminal, and only answers.
///
/// What it writes to standard error counts as part of its answer: others may have written what it repeats there, so it
/// doesn't reach the terminal or the log as it is.
package struct QuietProgram: Sendable {
  private let command: [String]
  private let folder: String
  private let place: String
  private let end: ShellCommand.Ending

  /// - Parameters:
  ///   - command: The program, looked up on the path or from the folder, and its arguments.
  ///   - folder: The folder that it is started in.
  ///   - place: Where it is named, for messages.
  ///   - end: Called where a signal that asks this program to end came meanwhile.
  package init(
    _ command: [String], in folder: String, namedAt place: String, endingWith end: @escaping ShellCommand.Ending
  ) {
    self.command = command
    self.folder = folder
    self.place = place
    self.end = end
  }

  /// The program as messages name it.
  package var name: String { "'\(command.joined(separator: " "))' (\(place))" }

  /// Runs the program to its end.
  ///
  /// However that ends, nothing of its process group is left.
  ///
  /// - Parameters:
  ///   - bytes: What is on its standard input.
  ///   - variables: What its environment has besides this program's.
  ///   - limit: How long it may take.
  ///   - answerLimit: The most bytes that it may write.
  /// - Returns: What it wrote.
  /// - Throws: ``WorkFailure`` where it fails, or exceeds a limit.
  package func run(
    given bytes: [UInt8], variables: [String], within limit: Duration, answerLimit: Int
  ) throws(WorkFailure) -> [UInt8] {
    var run: CommandRun
    do {
      run = try CommandRun.start(command, aloneIn: folder, given: bytes, variables, answerLimit: answerLimit)
    } catch {
      throw WorkFailure(
        .failed, "\(error.message) (\(place))",
        help: "Install it, or write './NAME' for a program in the folder of the file that names it.")
    }
    switch run.finish(within: limit) {
    case .ended(status: 0, signal: 0, let output): return output
    case .ended(let status, signal: 0, let output):
      throw WorkFailure(
        .failed, "\(name) failed with status \(status)" + Self.lastLine(of: output),
        help:
          "Run it by hand with the output of 'pintle policy --format json' as its input. Findings aren't a failure: "
          + "its exit status is 0 then, too.")
    case .ended(_, let signal, let output):
      throw WorkFailure(
        .failed,
        "\(name) was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
          + Self.lastLine(of: output))
    case .late:
      throw WorkFailure(
        .failed, "\(name) took more than \(counted(Int(limit.components.seconds), "second")) and was ended",
        help: "Make it faster, or give it more time with 'timeout:'.")
    case .wordy:
      throw WorkFailure(
        .failed, "\(name) wrote more than \(answerLimit) bytes",
        help: "Have it report fewer findings, and nothing else.")
    case .withoutTerminal:
      throw WorkFailure(.failed, "\(name) asks for something on the terminal", help: "It must not ask anybody.")
    case .interrupted(let signal): end(name, signal)
    }
  }

  /// What it said at last, such as the error that ended it; one line that can be shown.
  private static func lastLine(of output: [UInt8]) -> String {
    let line = output.suffix(4_096).split(separator: UInt8(ascii: "\n")).last ?? []
    return line.isEmpty ? "" : ": " + VisibleText.of(String(decoding: line.prefix(300), as: UTF8.self))
  }
}
