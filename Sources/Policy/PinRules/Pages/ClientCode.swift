import Diagnostics

/// The codes with which clients and commands say why they rejected a manifest, a keyset or an update, blocked a
/// connection, or aren't in good health.
package struct ClientCode: Sendable {
  /// Where a code is met: with a file that was rejected, or in a client's log.
  enum Occasion: String {
    case files = "why a client or a command rejects a file"
    case logs = "what a client logs of a connection or of its health"
  }

  package let name: String
  /// What it means, and what to do: sentences for people.
  package let text: String
  private let occasion: Occasion

  init(_ name: String, _ text: String, of occasion: Occasion = .files) {
    self.name = name
    self.text = text
    self.occasion = occasion
  }

  /// The code with which a file is rejected.
  package static func named(_ name: String) -> ClientCode? { all.first { $0.name == name.lowercased() } }

  /// Any code; a file's comes first.
  package static func explained(_ name: String) -> ClientCode? { explained.first { $0.name == name.lowercased() } }

  static let explained = all + decisions + health

  package var firstSentence: String {
    text.split(separator: ". ").first.map { $0.hasSuffix(".") ? "\($0)" : "\($0)." } ?? text
  }

  /// The page of `pintle explain CODE`; `documentation` is the address of the documentation.
  package func page(documentation: String?) -> String {
    let page = occasion == .files ? "docs/updates.md" : "docs/service.md; docs/validation.md#the-failures"
    let source = Citation.text(page, in: documentation)
    return name + ": \(occasion.rawValue)\n\n" + TextFlow.wrapped(text)
      + (source.isEmpty ? "" : "\n\nSource: " + source) + "\n"
  }

  private static let release = "pintle build --unsigned -o NEXT.json --against BASELINE --keyset KEYSET --issued-at now"

  /// All codes of loading, of updates and of keysets.
  package static let all = [
    ClientCode(
      "too-large", "The file has more bytes than the client loads. Split the policy, or raise the client's limit."),
    ClientCode(
      "malformed-file",
      "The file isn't a signed manifest or keyset in canonical form: it was cut off, or reformatted as 'jq' does. Get the "
        + "original file again: every byte counts."),
    ClientCode(
      "invalid-signature",
      "A signature of a trusted key doesn't fit the signed bytes: one of them was changed. Get the original file again; if "
        + "it is the same, treat the place where it was stored as compromised."),
    ClientCode(
      "too-few-signatures",
      "Fewer trusted keys signed than the client requires. Sign with keys that these clients trust: 'pintle show' shows "
        + "the ids of those who signed and a key's id. If the signers changed, clients need the new "
        + "keyset first."),
    ClientCode("malformed-manifest", "The signed bytes aren't a manifest in canonical form. Build it again."),
    ClientCode("malformed-keyset", "The signed bytes aren't a keyset in canonical form. Make it again."),
    ClientCode(
      "wrong-audience", "The file is for another environment than the client. Give the client the file for its own."),
    ClientCode(
      "unknown-extension",
      "The file requires a feature that this client doesn't have. Update the client first, or build without the feature."
    ),
    ClientCode(
      "wrong-certificate",
      "A certificate in the manifest isn't the one that its fingerprint names, or isn't a certificate. Build it again."),
    ClientCode(
      "unusable-signer", "A signer's key can't be read, or isn't of a kind that signs. Check the keyset or --key."),
    ClientCode(
      "unsupported-signer",
      "The client's platform can't verify the kind of key that a signer or a root of the keyset has: Android before 13 and "
        + "Java before 15 have no Ed25519. Give these signers ECDSA P-256 keys, and say so in 'signer-keys:' of the policy."
    ),
    ClientCode(
      "unusable-threshold",
      "More signatures are required than there are different keys, or none. Correct the threshold."),
    ClientCode("cryptography", "libcrypto failed where it should not have. Check the installation of OpenSSL."),
    ClientCode(
      "older-serial",
      "The client has a manifest with a higher serial. Usually an old file is being served: serve the newest release. To "
        + "go back to an older policy, release it again with the next serial."),
    ClientCode(
      "conflicting-serial",
      "The client has other signed bytes with this serial: two manifests were released under one serial. Release the right "
        + "policy again with the next serial."),
    ClientCode(
      "below-minimum-serial",
      "The keyset requires a higher serial. Release a manifest with a serial of at least the keyset's minimum."),
    ClientCode(
      "keyset-expired",
      "The client's keyset has expired, so it accepts no further manifest. Release the next version of the keyset: "
        + "'pintle keyset next KEYSET -o NEXT.json --expires DATE'."),
    ClientCode("no-keyset", "A keyset was offered to a client that is configured with fixed keys. Configure a keyset."),
    ClientCode(
      "stale", "The manifest had expired when it was offered. Release a newer one, which people sign: '\(release)'."),
    ClientCode(
      "empty",
      "The manifest pins no host at all. If that is a mistake, fix the policy; if it is intended, release it again with "
        + "'\(release) --drastic-change REASON'."),
    ClientCode(
      "shrunk",
      "The manifest pins far fewer hosts than the one in force. If that is a mistake, fix the policy; if it is intended, "
        + "release it again with '\(release) --drastic-change REASON'."),
    ClientCode(
      "refuses-recent-chain",
      "The manifest would block a server whose chain the client accepted lately: activating it would be a lockout. The "
        + "message names the host. If that is a mistake, fix the policy; if it is intended, such as for a denied key, "
        + "release it again with '\(release) --drastic-change REASON'."),
    ClientCode(
      "unusable-directory",
      "The state folder isn't there or can't be used, so the client rejects every update. Make the folder, and give the "
        + "service's user permission to read and write it."),
    ClientCode(
      "exposed-directory",
      "Others than the service's user may write to the state folder, and so set the client back to an older manifest. "
        + "Change its permissions to 0700."),
    ClientCode(
      "unreadable-state",
      "A stored file can't be read or was changed, so the client began with what is left of its state or with what it "
        + "ships. The next update repairs it; look for who changed the file."),
    ClientCode("unreadable-file", "The file to load can't be read. Check its path and permissions on the client."),
    ClientCode(
      "not-stored",
      "The client couldn't write the file to its state folder, so it isn't in force. Check the folder's permissions and "
        + "free space."),
    ClientCode("inherited", "The process was forked during an update. Open a store of its own in the child process."),
    ClientCode("older-version", "The client has a newer version of the keyset. Serve the newest version."),
    ClientCode(
      "conflicting-version",
      "The client has another keyset with this version. Release the right one again as the next version."),
    ClientCode(
      "skipped-version",
      "The client needs the keyset versions between its own and this one first. Serve all versions, from the one that the "
        + "oldest client ships."),
    ClientCode(
      "serials-fall", "The keyset lowers the minimum serial or the epoch of serials. Make it again without that."),
  ]
}
