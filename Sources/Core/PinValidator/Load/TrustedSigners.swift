import OpenSSLKit
public import PinFormat

/// Whose signatures make a manifest valid: a set of public keys, and how many of them must have signed.
public struct TrustedSigners: Sendable {
  /// A key, by its identity and its SubjectPublicKeyInfo.
  struct Signer: Sendable {
    let keyID: SHA256Digest
    let subjectPublicKeyInfo: [UInt8]
  }

  let signers: [Signer]
  /// How many different keys must have signed.
  public let threshold: Int

  /// Reads public keys: Ed25519, or ECDSA on P-256.
  ///
  /// Each key's kind decides how its signatures are verified. Only the one usual encoding of a key is taken, a point on
  /// P-256 uncompressed, so that no key can pass for two.
  ///
  /// - Parameters:
  ///   - publicKeys: SubjectPublicKeyInfo in DER or PEM, one key each. A key that is given twice counts once.
  ///   - threshold: How many different keys must have signed; at least 1.
  /// - Throws: ``ManifestError`` of code `unusable-signer` or `unusable-threshold`.
  public init(publicKeys: [[UInt8]], threshold: Int) throws(ManifestError) {
    var signers: [Signer] = []
    for (index, bytes) in publicKeys.enumerated() {
      let signer = try Self.signer(bytes, number: index + 1)
      if !signers.contains(where: { $0.keyID == signer.keyID }) { signers.append(signer) }
    }
    guard (1...max(1, signers.count)).contains(threshold), !signers.isEmpty else {
      throw ManifestError(
        .unusableThreshold,
        "\(threshold) signatures can't be required: the number of different trusted keys is \(signers.count)")
    }
    self.signers = signers
    self.threshold = threshold
  }

  /// The identities of the keys: SHA-256 over the SubjectPublicKeyInfo of each.
  public var keyIDs: [SHA256Digest] { signers.map { $0.keyID } }

  func signer(_ keyID: SHA256Digest) -> Signer? { signers.first { $0.keyID == keyID } }

  private static func signer(_ bytes: [UInt8], number: Int) throws(ManifestError) -> Signer {
    do throws(CryptoError) {
      let key =
        bytes.first == UInt8(ascii: "0")
        ? try PublicKey(subjectPublicKeyInfo: bytes) : try PublicKey(pem: bytes)
      try key.checkSigningKey()
      return Signer(keyID: SHA256Digest(try key.digest()), subjectPublicKeyInfo: key.subjectPublicKeyInfo)
    } catch {
      throw ManifestError(.unusableSigner, "trusted key \(number) can't be used: " + error.message)
    }
  }
}
