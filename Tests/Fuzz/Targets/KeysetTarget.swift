import OpenSSLKit
import PinFormat
import PinValidator

/// Keysets: once the input as a file that is shipped, once as bytes that a trusted root signed properly, in the place of
/// the next version.
///
/// What is accepted must be the one encoding of what it says, one version further, and no less strict about serials.
enum KeysetTarget {
  /// The key of RFC 8032 section 7.1, test 1.
  private static let pem =
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
    + "-----END PRIVATE KEY-----\n"

  private final class Signing {
    let key: PrivateKey
    let keyID: SHA256Digest
    /// Version 1, whose only root and signer is the key.
    let trusted: TrustedKeyset

    init?() {
      guard let key = try? PrivateKey(pem: Array(pem.utf8)), let publicKey = try? key.subjectPublicKeyInfo(),
        let keyID = try? TrustedSigners(publicKeys: [publicKey], threshold: 1).keyIDs.first
      else { return nil }
      let role = Keyset.Role(keys: ["root-a"], threshold: 1)
      let first = Keyset(
        audience: "vectors", version: 1, issued: .earliest, expires: .latest, roots: role, signers: role,
        keys: [Keyset.Key(name: "root-a", subjectPublicKeyInfo: publicKey)])
      guard let file = Self.file(first.signedBytes(), key, keyID),
        let trusted = try? TrustedKeyset.load(shipped: file, audience: "vectors")
      else { return nil }
      self.key = key
      self.keyID = keyID
      self.trusted = trusted
    }

    /// A file that the key signed.
    func file(_ signed: [UInt8]) -> [UInt8]? { Self.file(signed, key, keyID) }

    private static func file(
      _ signed: [UInt8], _ key: borrowing PrivateKey, _ keyID: SHA256Digest
    ) -> [UInt8]? {
      let message = SignatureEnvelope.preAuthenticationEncoding(of: signed, as: .keyset)
      guard let signature = try? key.sign(message) else { return nil }
      return SignatureEnvelope.encode(signed: signed, signatures: [.init(keyID: keyID, bytes: signature)])
    }
  }
  // libFuzzer calls from one thread only.
  private nonisolated(unsafe) static let signing = Signing()

  static func run(_ bytes: [UInt8]) {
    guard let signing else { return promise(false, "the first keyset can be made") }
    if let shipped = try? TrustedKeyset.load(shipped: bytes, requiredAudience: nil) { look(at: shipped) }
    _ = try? signing.trusted.successor(bytes)

    // The roots' signatures are verified before the content is read, so the input is signed too.
    guard let file = signing.file(bytes) else { return promise(false, "anything can be signed") }
    do throws(KeysetError) {
      let next = try signing.trusted.successor(file)
      promise(next.keyset.signedBytes() == bytes, "an accepted keyset is the encoding of what it says")
      promise(next.version == 2, "it is one version further")
      promise(next.audience == "vectors", "it is for the same environment")
      look(at: next)
    } catch {
      promise(error.code != .invalidSignature, "what was signed verifies")
      promise(error.code != .cryptography, "libcrypto does its work")
      promise(file.count <= TrustedKeyset.maximumBytes || error.code == .tooLarge, "the size is looked at first")
    }
    if let shipped = try? TrustedKeyset.load(shipped: file, requiredAudience: nil) {
      promise(shipped.keyset.signedBytes() == bytes, "an accepted keyset is the encoding of what it says")
      look(at: shipped)
    }
  }

  private static func look(at keyset: TrustedKeyset) {
    for (role, signers) in [(keyset.keyset.roots, keyset.roots), (keyset.keyset.signers, keyset.signers)] {
      promise(signers.keyIDs.count == role.keys.count, "each key of a role has an identity of its own")
      promise((1...role.keys.count).contains(signers.threshold), "a threshold can be reached")
    }
    promise(keyset.keyset.critical.isEmpty, "no extension is known")
    guard let same = try? keyset.successor(keyset.fileBytes) else { return promise(false, "a keyset is known again") }
    promise(same === keyset, "a keyset given again changes nothing")
  }
}
