import ArgumentParser
import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease

/// Who signs: `--sign-key`, and what it takes to sign with keys that aren't plain files.
struct SigningKeyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A private key to sign with (PEM), or 'exec:COMMAND', which signs its standard input; give it again for a further "
        + "signature.", valueName: "key"))
  var signKey: [String] = []

  @Option(
    help: ArgumentHelp(
      "A public key (PEM) that a command may be signing with; give it again for further ones.", valueName: "file"),
    completion: .file())
  var publicKey: [String] = []

  @OptionGroup var passphrase: PassphraseOptions

  @Option(
    name: .customLong("timeout"),
    help: ArgumentHelp("How many seconds a command may take for a signature.", valueName: "seconds"))
  var signTimeout = 60

  func validate() throws {
    guard (1...86_400).contains(signTimeout) else {
      throw ValidationError("--timeout is from 1 to 86400 seconds.")
    }
    let commands = signKey.filter { $0.hasPrefix(UserCommand.prefix) }.map(Self.command)
    if commands.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError("Give 'exec:' a command: --sign-key 'exec:COMMAND'.")
    }
    if !publicKey.isEmpty, !hasCommands {
      throw ValidationError("--public-key says which key a command signs with, and no --sign-key is one.")
    }
  }

  /// True where a command signs.
  private var hasCommands: Bool { signKey.contains { $0.hasPrefix(UserCommand.prefix) } }

  private static func command(_ name: String) -> Substring { name.dropFirst(UserCommand.prefix.count) }

  /// True where nobody is to sign.
  var isEmpty: Bool { signKey.isEmpty }

  /// Gets everybody ready who is to sign: at least one.
  ///
  /// This may prompt for passphrases, so it is called after the person has seen what will be signed.
  ///
  /// - Parameter known: SubjectPublicKeyInfo of keys that may be the ones that commands sign with, such as those of a
  ///   keyset that was verified.
  /// - Returns: The signers, of different keys as far as that is known before they sign.
  /// - Throws: ``CommandFailure`` where a key can't be used.
  func signers(known: [[UInt8]] = []) throws(CommandFailure) -> [Signer] {
    guard !isEmpty else {
      throw CommandFailure(.usage, "there is no signing key", help: "Pass at least one --sign-key.")
    }
    let passphrases = try passphrase.source()
    let candidates = try hasCommands ? candidates(known) : []
    var signers: [Signer] = []
    var names: [String] = []
    for name in signKey {
      let (signer, shown) = try signer(name, candidates, passphrases)
      let isSame = signer.keys.count == 1 ? signers.firstIndex { $0.keys == signer.keys } : nil
      if let isSame {
        throw CommandFailure(
          .usage, "'\(names[isSame])' and '\(shown)' are the same key, \(signer.keys[0].id.hex)",
          help: "Give each key once: signatures of different keys count.")
      }
      signers.append(signer)
      names.append(shown)
    }
    return signers
  }

  /// A signer, and its name for messages.
  private func signer(
    _ name: String, _ candidates: [Signer.Key], _ passphrases: Passphrases
  ) throws(CommandFailure) -> (Signer, String) {
    guard name.hasPrefix(UserCommand.prefix) else {
      return (try SigningKeyFile.signer(name, passphrases), name)
    }
    let command = SigningCommand(
      Self.command(name), limit: .seconds(signTimeout), endingWith: Console.interruption("nothing was signed"))
    guard !candidates.isEmpty else {
      throw CommandFailure(
        .usage, "the public key of '\(command.name)' is not known",
        help: "Pass its public key, or those of all keys that it may be: --public-key release.key.pub.")
    }
    let signer = Signer(candidates: candidates) { (message) throws(SignerFailure) in try command.answer(to: message) }
    return (signer, command.name)
  }

  /// The keys that commands may sign with, each once.
  private func candidates(_ known: [[UInt8]]) throws(CommandFailure) -> [Signer.Key] {
    var candidates: [Signer.Key] = []
    for path in publicKey { candidates.append(try SigningKeyFile.candidate(path)) }
    do throws(CryptoError) {
      for key in known { candidates.append(try Signer.Key(publicKey: key)) }
    } catch {
      throw CommandFailure(.failed, "a known key can't be used: \(error.message)")
    }
    var seen: Set<Signer.Key> = []
    return candidates.filter { seen.insert($0).inserted }
  }

  /// Refuses to write to a path that leads to one of the private keys.
  func protectKeys(from output: String) throws(CommandFailure) {
    guard !signKey.contains(where: { InputFile.isSame($0, output) }) else {
      throw CommandFailure(.usage, "'\(output)' is the signing key", help: "Give -o another path.")
    }
  }
}
