import Diagnostics
import Glibc
import OpenSSLKit
import PinPolicy
import PinRelease

/// Why a private key didn't open.
enum OpeningFailure: Error {
  case wrongPassphrase
  case other(CommandFailure)
}

/// Where the passphrases of private keys come from: the terminal, or the lines of a file that is open already.
struct Passphrases {
  /// How often the terminal is asked for the passphrase of one key.
  private static let attempts = 3

  private let descriptor: Int32?

  /// True where somebody gave them, so that nobody has to be asked.
  var areGiven: Bool { descriptor != nil }

  /// - Parameter descriptor: The number of an open file with one passphrase a line; nil to ask on the terminal.
  /// - Throws: ``CommandFailure`` where there is no such file.
  init(descriptor: Int32?) throws(CommandFailure) {
    self.descriptor = descriptor
    guard let descriptor else { return }
    // Child processes must not inherit the descriptor of the passphrase.
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      throw CommandFailure(
        .usage, "there is no open file \(descriptor) to read a passphrase from",
        help: "Open one in the shell, such as '--passphrase-fd 3 3<passphrase.txt'.")
    }
    guard isatty(descriptor) == 0 else {
      throw CommandFailure(
        .usage, "file \(descriptor) is a terminal, which would show the passphrase",
        help: "Without --passphrase-fd, it is asked for on the terminal, without echo.")
    }
  }

  /// Opens a private key.
  ///
  /// - Parameters:
  ///   - path: Its file, for the question and for messages.
  ///   - open: Tries a passphrase.
  /// - Returns: What `open` does.
  /// - Throws: ``CommandFailure`` where the passphrase can't be had, or is wrong, or what `open` says.
  func open<Opened>(
    _ path: String, with open: (SecretBytes) throws(OpeningFailure) -> Opened
  ) throws(CommandFailure) -> Opened {
    var attempt = 1
    while true {
      let passphrase = try ask("Passphrase for \(VisibleText.of(path)): ", of: path)
      do throws(OpeningFailure) {
        return try open(passphrase)
      } catch {
        if case .other(let failure) = error { throw failure }
        guard descriptor == nil, attempt < Self.attempts else {
          throw CommandFailure(
            .failed, "the passphrase doesn't open '\(path)'",
            help: "Give the passphrase that it was made with. If it is the right one, the file is damaged.")
        }
        Console.say("pintle: that passphrase doesn't open '\(VisibleText.of(path))'; try again")
        attempt += 1
      }
    }
  }

  /// The passphrase for a new key; the terminal is asked twice.
  func new(for path: String) throws(CommandFailure) -> SecretBytes {
    let passphrase = try ask("New passphrase for \(VisibleText.of(path)): ", of: path)
    guard !passphrase.isEmpty else {
      throw CommandFailure(.failed, "the passphrase is empty", help: "Leave --encrypt out for a key without one.")
    }
    if descriptor == nil {
      let again = try ask("The same passphrase again: ", of: path)
      guard passphrase.isEqual(to: again) else {
        throw CommandFailure(.failed, "the two passphrases are not the same", help: "No key was made.")
      }
    }
    return passphrase
  }

  private func ask(_ prompt: String, of path: String) throws(CommandFailure) -> SecretBytes {
    if let descriptor { return try line(of: descriptor, path) }
    do {
      return try TerminalQuestion().ask(prompt)
    } catch {
      switch error {
      case .noTerminal:
        throw CommandFailure(
          .failed, "'\(path)' needs a passphrase, and there is no terminal to ask on",
          help: "Give it in an open file: --passphrase-fd 3 3<passphrase.txt.")
      case .noAnswer: throw CommandFailure(.failed, "no passphrase for '\(path)' was given")
      case .unusable: throw Self.unusable(path)
      }
    }
  }

  /// The next line, which is read byte by byte: what follows is for the next key, or for somebody else.
  private func line(of descriptor: Int32, _ path: String) throws(CommandFailure) -> SecretBytes {
    let passphrase = SecretBytes()
    var byte: UInt8 = 0
    defer { byte = 0 }
    var hasBegun = false
    while true {
      let count = read(descriptor, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw CommandFailure(
          .failed,
          "the passphrase for '\(path)' can't be read from file \(descriptor): \(String(cString: strerror(errno)))")
      }
      guard count == 1 else {
        guard hasBegun else {
          throw CommandFailure(
            .failed, "file \(descriptor) has no passphrase for '\(path)'",
            help: "It holds one line for each key with a passphrase, in the order of the keys.")
        }
        return passphrase
      }
      if byte == UInt8(ascii: "\n") { return passphrase }
      hasBegun = true
      guard passphrase.append(byte) else { throw Self.unusable(path) }
    }
  }

  private static func unusable(_ path: String) -> CommandFailure {
    CommandFailure(
      .failed, "the passphrase for '\(path)' has more than \(SecretBytes.limit) bytes, or a byte 0 among them")
  }
}

/// A question at a terminal that has to be answered in full.
enum Confirmation {
  /// Whether somebody is there to answer: standard input and standard error are a terminal.
  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

  /// Asks, and waits for an answer.
  ///
  /// - Returns: True for `yes`, and for nothing else.
  static func ask(_ question: String) -> Bool {
    // Discard what was typed or pasted before the prompt.
    tcflush(STDIN_FILENO, TCIFLUSH)
    Console.ask(question)
    guard let answer = readLine() else {
      // At the end of input, the cursor is still on the prompt's line.
      Console.say("")
      return false
    }
    return answer == "yes"
  }
}
