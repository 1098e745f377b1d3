import OpenSSLKit
package import PinFormat

extension TrustedSigners {
  /// Verifies the signatures of trusted keys and answers whose they are.
  ///
  /// A signature by an unknown key is ignored and never counts. One of a trusted key that doesn't
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
    let known = try known(in: envelope.signatures)
    try envelope.withPreAuthenticationEncoding(in: &bytes, as: content) { (bytes, message) throws(ManifestError) in
      try bytes.span.extracting(message).withUnsafeBufferPointer { message throws(ManifestError) in
        try check(known, over: message)
      }
    }
    return known.map { $0.keyID }
  }

  /// Verifies a file that isn't in memory, so that what nobody trusted has signed never has to be.
  func verify(mapped bytes: UnsafeMutableBufferPointer<UInt8>) throws(ManifestError) {
    let envelope: SignatureEnvelope
    do { envelope = try SignatureEnvelope(mapped: bytes) } catch { throw ManifestError(.malformedFile, error) }
    let known: [SignatureEnvelope.Signature]
    do { known = try self.known(in: envelope.signatures) } catch { throw error.about(bytes) }
    guard let message = envelope.preAuthenticationEncoding(over: bytes) else {
      throw ManifestError(.malformedFile, "the file is too short to have a signature")
    }
    try check(known, over: message)
  }

  /// The signatures of trusted keys, of which there must be enough.
  func known(in signatures: [SignatureEnvelope.Signature]) throws(ManifestError) -> [SignatureEnvelope.Signature] {
    let known = signatures.filter { signer($0.keyID) != nil }
    guard known.count >= threshold else {
      throw ManifestError(.tooFewSignatures, Self.missing(threshold, known: known.count, of: signatures.count))
    }
    return known
  }

  func check(
    _ signatures: [SignatureEnvelope.Signature], over message: UnsafeBufferPointer<UInt8>
  ) throws(ManifestError) {
    for signature in signatures {
      guard let signer = signer(signature.keyID), try signer.signed(message, signature.bytes) else {
        throw ManifestError(
          .invalidSignature,
          "the signature of the key \(signature.keyID.hex) doesn't fit the signed bytes: one of them was changed")
      }
    }
  }

  private static func missing(_ threshold: Int, known: Int, of count: Int) -> String {
    "needs \(threshold) trusted signature\(threshold == 1 ? "" : "s"), found \(known) (of \(count) signature\(count == 1 ? "" : "s"))"
  }
}

extension TrustedSigners.Signer {
  func signed(_ message: UnsafeBufferPointer<UInt8>, _ signature: [UInt8]) throws(ManifestError) -> Bool {
    do {
      return try PublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo).isValid(signature: signature, for: message)
    } catch {
      throw ManifestError(.cryptography, error.message)
    }
  }
}
