import Glibc
import OpenSSLKit

/// Asks the person at the terminal for a secret, whatever the standard streams lead to.
struct TerminalQuestion {
  /// Why there is no answer.
  enum Failure: Error {
    /// Nobody sits there.
    case noTerminal
    /// The person gave none: the line or the terminal ended.
    case noAnswer
    /// More bytes than a passphrase may have, or a byte 0.
    case unusable
  }

  private let terminal: ControllingTerminal

  init() throws(Failure) {
    guard let terminal = ControllingTerminal() else { throw .noTerminal }
    self.terminal = terminal
  }

  /// Asks for a line, and doesn't show what is typed.
  ///
  /// - Parameter prompt: What is shown before it.
  /// - Returns: The line without its end.
  /// - Throws: ``Failure``. A signal that ends this process does so, with the terminal as it was.
  func ask(_ prompt: String) throws(Failure) -> SecretBytes {
    while true {
      // First, so that none ends this process while the terminal shows nothing.
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
        // Does by itself now what it does; stopped by Control-Z, it comes back here and asks again.
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
