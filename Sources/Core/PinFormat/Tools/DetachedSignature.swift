/// A signature in a file of its own, apart from what is signed: `{"keyid":…,"sig":…,"signed":…}`, canonical JSON.
///
/// `signed` is the SHA-256 over the signed bytes, as the signer's word: it finds the bytes that a signature is over, and
/// decides nothing.
package struct DetachedSignature: Hashable, Sendable {
  package var signature: SignatureEnvelope.Signature
  package var digest: SHA256Digest

  /// More bytes than any such file has.
  package static let maximumBytes = 2_048

  package init(_ signature: SignatureEnvelope.Signature, over digest: SHA256Digest) {
    self.signature = signature
    self.digest = digest
  }

  /// Reads a file; the signature isn't verified.
  ///
  /// - Throws: ``FormatError`` where it isn't the canonical encoding.
  package init(reading bytes: [UInt8]) throws(FormatError) {
    let format = CanonicalFormat(name: "detached signature", fields: ["keyid", "sig", "signed"])
    var scanner = CanonicalScanner(bytes, from: 0, to: bytes.count, as: format)
    var first = true
    try scanner.require(UInt8(ascii: "{"))
    signature = try scanner.signatureFields(first: &first)
    try scanner.require(field: "signed", first: &first)
    digest = try scanner.digest("a digest of signed bytes")
    try scanner.finishObject(first: first)
    try scanner.finish()
  }

  /// The whole file.
  package var bytes: [UInt8] {
    var writer = CanonicalWriter(capacity: 1_024)
    writer.field("keyid", first: true)
    writer.digest(signature.keyID)
    writer.field("sig")
    writer.base64(signature.bytes)
    writer.field("signed")
    writer.digest(digest)
    writer.byte("}")
    return writer.bytes
  }
}
