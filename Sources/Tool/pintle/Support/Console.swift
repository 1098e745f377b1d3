import Diagnostics
import Glibc
import PinPolicy
import PinRelease

/// Data goes to standard output, talk to standard error.
enum Console {
  /// Writes data as it is, without a line break.
  static func write(_ text: String) throws(CommandFailure) {
    try write(Array(text.utf8))
  }

  /// Writes data as it is.
  static func write(_ bytes: [UInt8]) throws(CommandFailure) {
    var written = 0
    while written < bytes.count {
      let step = bytes.withUnsafeBytes {
        Glibc.write(STDOUT_FILENO, $0.baseAddress.map { $0 + written }, $0.count - written)
      }
      if step < 0, errno == EINTR { continue }
      // A reader that stops early, such as `head`, isn't an error.
      if step < 0, errno == EPIPE { return }
      guard step > 0 else {
        throw CommandFailure(.failed, "can't write to standard output: \(String(cString: strerror(errno)))")
      }
      written += step
    }
  }

  /// Says something to the person at the terminal.
  static func say(_ text: String) {
    ask(text + "\n")
  }

  /// Says something that is answered on the same line.
  static func ask(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let step = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if step < 0, errno == EINTR { continue }
      // If standard error is closed, there is nowhere to report it.
      guard step > 0 else { return }
      rest = rest.dropFirst(step)
    }
  }

  /// A paragraph in lines of at most 80 columns, further lines indented.
  static func wrapped(_ text: String, indent: Int = 0) -> String {
    LineWrap.lines(text, width: 80 - indent).joined(separator: "\n" + String(repeating: " ", count: indent))
  }

  /// Says why a command failed and what to do.
  static func report(_ failure: CommandFailure) {
    if let details = failure.details { say(details) }
    say("pintle: error: " + VisibleText.of(failure.message))
    if let help = failure.help { say("help: " + VisibleText.of(help)) }
  }

  /// Ends this program by the signal that interrupted a command, and says what that left.
  static func interruption(_ result: String) -> UserCommand.Ending {
    { name, signal in
      say("pintle: '\(VisibleText.of(name))' was interrupted; \(result)")
      // Raised again, so that the parent process sees the signal.
      Glibc.raise(signal)
      Glibc.exit(128 + signal)
    }
  }

  /// Warns of something that doesn't stop the command.
  static func warn(_ message: String, help: String) {
    say("pintle: warning: " + VisibleText.of(message))
    say("help: " + VisibleText.of(help))
  }

  /// Says a finding that isn't about a line of a file.
  static func say(_ finding: Diagnostic) {
    say("pintle: \(finding.severity.rawValue): \(VisibleText.of(finding.message)) [\(finding.code)]")
    say("help: " + VisibleText.of(finding.help))
  }

  /// Whether to colour what goes to standard output: on a terminal, unless `NO_COLOR` is set (no-color.org).
  static var isColoured: Bool {
    isatty(STDOUT_FILENO) == 1 && !isSet("NO_COLOR") && !isTerminalDumb
  }

  /// Whether to colour what goes to standard error.
  static var isComplaintColoured: Bool {
    isatty(STDERR_FILENO) == 1 && !isSet("NO_COLOR") && !isTerminalDumb
  }

  /// How many columns a terminal has; nil for what isn't one, or doesn't say.
  static func columns(of descriptor: Int32) -> Int? {
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
  }

  /// Whether the terminal can do no more than write line after line.
  static var isTerminalDumb: Bool { getenv("TERM").map { String(cString: $0) } == "dumb" }

  /// Whether a variable of the environment is there and not empty.
  static func isSet(_ variable: String) -> Bool {
    getenv(variable).map { $0.pointee != 0 } ?? false
  }
}
