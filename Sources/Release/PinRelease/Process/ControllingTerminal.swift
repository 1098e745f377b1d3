import Glibc
package import OpenSSLKit

/// The terminal that a person sits at, where there is one, whatever the standard streams lead to.
final class ControllingTerminal {
  /// The number of its file.
  let number: Int32
  private let settings: termios?

  init?() {
    let number = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else { return nil }
    self.number = number
    settings = Self.present(number)
  }

  deinit {
    close(number)
  }

  /// True while this process may read from it: a job in the background may not.
  var isOurs: Bool { isOf(getpgrp()) }

  /// True while a process group may read from it.
  func isOf(_ group: pid_t) -> Bool { tcgetpgrp(number) == group }

  /// How it is set up; nil where that can't be told.
  var present: termios? { Self.present(number) }

  private static func present(_ number: Int32) -> termios? {
    var settings = termios()
    return tcgetattr(number, &settings) == 0 ? settings : nil
  }

  /// Stops it from showing what is typed, and forgets what was typed ahead.
  ///
  /// - Returns: The settings to restore; nil where there are none.
  func withoutEcho() -> termios? {
    guard let before = present else { return nil }
    var quiet = before
    quiet.c_lflag &= ~tcflag_t(ECHO | ECHONL)
    tcsetattr(number, TCSAFLUSH, &quiet)
    return before
  }

  /// Sets it up as it was.
  func restore(_ settings: termios) {
    var settings = settings
    tcsetattr(number, TCSADRAIN, &settings)
  }

  /// Lets a process group read from it.
  func hand(to group: pid_t) {
    // SIGTTOU is blocked, because it would stop a background process that does this.
    var stop = sigset_t()
    var before = sigset_t()
    sigemptyset(&stop)
    sigaddset(&stop, SIGTTOU)
    pthread_sigmask(SIG_BLOCK, &stop, &before)
    tcsetpgrp(number, group)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// Takes it back from another process group, which may have left it without echo.
  func takeBack() {
    hand(to: getpgrp())
    if let settings { restore(settings) }
  }
}

/// Asks the person at the terminal for a secret, whatever the standard streams lead to.
package struct TerminalQuestion {
  /// Why there is no answer.
  package enum Failure: Error {
    /// Nobody sits there.
    case noTerminal
    /// The person gave none: the line or the terminal ended.
    case noAnswer
    /// More bytes than a passphrase may have, or a byte 0.
    case unusable
  }

  private let terminal: ControllingTerminal

  package init() throws(Failure) {
    guard let terminal = ControllingTerminal() else { throw .noTerminal }
    self.terminal = terminal
  }

  /// Asks for a line, and doesn't show what is typed.
  ///
  /// - Parameter prompt: What is shown before it.
  /// - Returns: The line without its end.
  /// - Throws: ``Failure``. A signal that ends this process does so, with the terminal as it was.
  package func ask(_ prompt: String) throws(Failure) -> SecretBytes {
    while true {
      // First, so that no signal ends this process while the echo is off.
      Interruption.listen(to: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP])
      let before = terminal.withoutEcho()
      write(prompt)
      let answer = SecretBytes()
      let end = read(into: answer)
      if let before { terminal.restore(before) }
      write("\n")
      let signal = Interruption.signal
      Interruption.stopListening()
      if let signal {
        // Raise the signal again with its default action. After Control-Z, the prompt is shown again.
        raise(signal)
        continue
      }
      if let failure = end { throw failure }
      return answer
    }
  }

  /// Reads to the end of the line; nil where it is good.
  private func read(into answer: SecretBytes) -> Failure? {
    var isUsable = true
    var hasBegun = false
    while !Interruption.isAsked {
      var ends = [pollfd(fd: terminal.number, events: Int16(POLLIN), revents: 0)]
      guard poll(&ends, 1, 50) > 0 else { continue }
      var byte: UInt8 = 0
      defer { byte = 0 }
      let count = Glibc.read(terminal.number, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count == 1 else { return hasBegun && isUsable ? nil : .noAnswer }
      if byte == UInt8(ascii: "\n") { return isUsable ? nil : .unusable }
      hasBegun = true
      isUsable = isUsable && answer.append(byte)
    }
    return .noAnswer
  }

  private func write(_ text: String) {
    _ = text.utf8.withContiguousStorageIfAvailable { Glibc.write(terminal.number, $0.baseAddress, $0.count) }
  }
}
