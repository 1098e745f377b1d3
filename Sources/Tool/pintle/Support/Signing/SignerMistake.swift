import Diagnostics
import PinFormat
import PinPolicy
import PinRelease

/// A key that can sign, and should not have signed this manifest.
enum SignerMistake {
  /// Refuses to sign with a key that servers present: anybody who takes a server could then release pins.
  static func refuse(_ signers: [Signer], pinnedBy manifest: Manifest) throws(CommandFailure) {
    for key in signers.flatMap(\.keys) {
      guard let name = manifest.keys.first(where: { $0.pin == Pin(key.id) })?.name else { continue }
      throw CommandFailure(
        .refused, "the signing key \(key.id.hex) is the key '\(name)' of the policy, which pins it for servers",
        help: "Sign with a key that is used for nothing else: 'pintle key release.key' makes one.")
    }
  }

  /// Warns of signers that aren't among the keys that were named one by one.
  static func warn(of signers: [Signer], named names: [String], notAmong trusted: [[UInt8]]) {
    for (signer, name) in zip(signers, names) where !signer.keys.contains(where: { trusted.contains($0.publicKey) }) {
      Console.warn(
        "'\(name)' is none of the --key files: clients that trust only those reject this manifest",
        help: "Sign with one of their private keys, or first give clients the new public key.")
    }
  }
}
