import OpenSSLKit
package import PinFormat

extension TrustedSigners {
  /// Verifies the signatures of trusted keys and answers whose they are.
  ///
  /// A signature of an unknown key is nobody's: it is passed over and never counts. One of a trusted key that doesn't
  /// verify refuses the file, also where enough others do: somebody changed it.
  package func verify(
    _ envelope: SignatureEnvelope, of bytes: [UInt8], as content: SignedContent = .manifest
  ) throws(ManifestError) -> [SHA256Digest] {
    var bytes = bytes
    return try verify(envelope, in: &bytes, as: content)
  }

  /// Verifies as above; bytes that nobody else holds are what they were afterwards, and aren't copied.
  func verify(
    _ envelope: SignatureEnvelope, in bytes: inout [UInt8], as content: SignedContent = .manifest
  ) throws(ManifestError) -> [SHA256Digest] {
    let known = envelope.signatures.filter { signer($0.keyID) != nil }
    guard known.count >= threshold else {
      throw ManifestError(.tooFewSignatures, Self.missing(threshold, known: known.count, of: envelope.signatures.count))
    }
    try envelope.withPreAuthenticationEncoding(in: &bytes, as: content) { (bytes, message) throws(ManifestError) in
      for signature in known {
        guard let signer = signer(signature.keyID), try signer.signed(bytes, message, signature.bytes) else {
          throw ManifestError(
            .invalidSignature,
            "the signature of the key \(signature.keyID.hex) doesn't fit the signed bytes: they or it were changed")
        }
      }
    }
    return known.map { $0.keyID }
  }

  private static func missing(_ threshold: Int, known: Int, of count: Int) -> String {
    "\(known) of the \(count) signatures \(known == 1 ? "is" : "are") of a trusted key, \(threshold) must be"
  }
}

extension TrustedSigners.Signer {
  func signed(_ bytes: [UInt8], _ message: Range<Int>, _ signature: [UInt8]) throws(ManifestError) -> Bool {
    do {
      return try PublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo)
        .isValid(signature: signature, for: bytes, in: message)
    } catch {
      throw ManifestError(.cryptography, error.message)
    }
  }
}
