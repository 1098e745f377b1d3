import Diagnostics
import OpenSSLKit
import PinFormat

/// A command that signs, as `--sign-key exec:COMMAND` names it.
///
/// Its contract is in docs/signing.md.
package struct SigningCommand: Sendable {
  /// The most bytes that are taken of an answer: signatures have up to 72, and 144 as hexadecimal digits.
  private static let answerLimit = 4_096

  private let command: UserCommand

  /// - Parameters:
  ///   - command: The part behind `exec:`.
  ///   - limit: How long it may take.
  ///   - end: Called where a signal that asks this program to end came meanwhile.
  package init(_ command: some StringProtocol, limit: Duration, endingWith end: @escaping UserCommand.Ending) {
    self.command = UserCommand(command, limit: limit, setBy: "--timeout", endingWith: end)
  }

  /// The command as messages name it.
  package var name: String { command.name }

  /// Has the command sign.
  package func answer(to message: [UInt8]) throws(SignerFailure) -> [UInt8] {
    do throws(WorkFailure) {
      return try command.run(
        given: message, variables: variables(message), output: "the signature", outputLimit: Self.answerLimit
      ).output
    } catch {
      throw SignerFailure(error.message, help: error.help)
    }
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
