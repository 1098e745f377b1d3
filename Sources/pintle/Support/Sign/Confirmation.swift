import Glibc

/// A question at a terminal that has to be answered in full.
enum Confirmation {
  /// Whether somebody is there to answer: standard input and standard error are a terminal.
  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks, and waits for an answer.
  ///
  /// - Returns: True for `yes`, and for nothing else.
  static func ask(_ question: String) -> Bool {
    // What was typed, or pasted, before the question isn't an answer to it.
    tcflush(STDIN_FILENO, TCIFLUSH)
    Console.ask(question)
    guard let answer = readLine() else {
      // Anybody who ends the input stays on the line of the question.
      Console.say("")
      return false
    }
    return answer == "yes"
  }
}
