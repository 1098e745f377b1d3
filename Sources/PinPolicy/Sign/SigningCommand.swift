import Diagnostics
import Glibc
import OpenSSLKit
import PinFormat

/// A command that signs, as `--sign-key exec:COMMAND` names it.
///
/// Its contract is in docs/signing.md.
package struct SigningCommand: Sendable {
  /// How such a signing key begins; a file of such a name is written `./exec:…`.
  package static let prefix = "exec:"
  /// The most bytes that are taken of an answer: signatures have up to 72, and 144 as hexadecimal digits.
  private static let answerLimit = 4_096

  /// Ends this program as a signal does; it has the command's name, to say what happened.
  package typealias Ending = @Sendable (_ name: String, _ signal: Int32) -> Never

  private let command: String
  /// How long it may take.
  private let limit: Duration
  private let end: Ending

  /// - Parameters:
  ///   - command: The part behind `exec:`.
  ///   - limit: How long it may take.
  ///   - end: Called where a signal that asks this program to end came meanwhile.
  package init(_ command: some StringProtocol, limit: Duration, endingWith end: @escaping Ending) {
    self.command = String(command)
    self.limit = limit
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

  /// Has the command sign.
  package func answer(to message: [UInt8]) throws(SignerFailure) -> [UInt8] {
    let outcome: CommandRun.Outcome
    do throws(WorkFailure) {
      var run = try CommandRun.start(command, given: message, try variables(message), answerLimit: Self.answerLimit)
      outcome = run.finish(within: limit)
    } catch {
      throw SignerFailure(error.message, help: error.help)
    }
    switch outcome {
    case .ended(status: 0, signal: 0, let output): return output
    case .ended(let status, let signal, _): throw failure(status: status, signal: signal)
    case .late:
      throw SignerFailure(
        "'\(name)' took more than \(counted(Int(limit.components.seconds), "second")) and was ended",
        help: "Give it more time with --sign-timeout.")
    case .wordy:
      throw SignerFailure(
        "'\(name)' wrote more than \(Self.answerLimit) bytes",
        help: "Have it write the signature to its standard output, and nothing else.")
    case .withoutTerminal:
      throw SignerFailure(
        "'\(name)' asks for something on the terminal, which another job has",
        help: "Run pintle in the foreground.")
    case .interrupted(let signal): end(name, signal)
    }
  }

  private func failure(status: Int32, signal: Int32) -> SignerFailure {
    guard signal == 0 else {
      return SignerFailure("'\(name)' was ended by signal \(signal) (\(String(cString: strsignal(signal))))")
    }
    let help: String? =
      switch status {
      case 126: "The shell found the program and may not run it: see what it said above."
      case 127: "The shell found no such program: give its path, or add its folder to PATH."
      default: nil
      }
    return SignerFailure("'\(name)' failed with status \(status)", help: help)
  }

  /// What spares a command to look into the bytes.
  private func variables(_ message: [UInt8]) throws(WorkFailure) -> [String] {
    let digest: SHA256Digest
    do { digest = SHA256Digest(try SHA256.digest(of: message)) } catch { throw WorkFailure(.failed, error.message) }
    return ["PINTLE_SIGN_SHA256=" + digest.hex, "PINTLE_SIGN_TYPE=" + Self.type(of: message)]
  }

  /// The content's type, which is in its pre-authentication encoding: `DSSEv1 LENGTH TYPE LENGTH BODY`.
  private static func type(of message: [UInt8]) -> String {
    let words = message.prefix(256).split(separator: UInt8(ascii: " "), maxSplits: 3)
    return words.count > 2 ? String(decoding: words[2], as: UTF8.self) : ""
  }
}
