import ArgumentParser
import PinCompiler
import PinFormat

/// Who signs: `--sign-key`.
struct SigningKeyOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("A private key to sign with (PEM); give it again for a further signature.", valueName: "key"))
  var signKey: [String] = []

  /// True where nobody is to sign.
  var isEmpty: Bool { signKey.isEmpty }

  /// Gets everybody ready who is to sign: at least one.
  ///
  /// Passphrases may be asked for, so it is called when the person has seen what is to be signed.
  ///
  /// - Parameter known: SubjectPublicKeyInfo of keys that may be the ones that commands sign with, such as those of a
  ///   keyset that was verified.
  /// - Returns: The signers, of different keys as far as that is known before they sign.
  /// - Throws: ``CommandFailure`` where a key can't be used.
  func signers(known: [[UInt8]] = []) throws(CommandFailure) -> [Signer] {
    guard !isEmpty else {
      throw CommandFailure(.usage, "nobody signs", help: "Give at least one --sign-key.")
    }
    var signers: [Signer] = []
    for (index, name) in signKey.enumerated() {
      let signer = try SigningKeyFile.signer(name)
      if let other = signers.firstIndex(where: { $0.keys == signer.keys }) {
        throw CommandFailure(
          .usage, "'\(signKey[other])' and '\(signKey[index])' are the same key, \(signer.keys[0].id.hex)",
          help: "Give each key once: signatures of different keys count.")
      }
      signers.append(signer)
    }
    return signers
  }

  /// Refuses to write to a path that leads to one of the private keys.
  func protectKeys(from output: String) throws(CommandFailure) {
    guard !signKey.contains(where: { Output.isSame($0, output) }) else {
      throw CommandFailure(.usage, "'\(output)' is the signing key", help: "Give -o another path.")
    }
  }
}
