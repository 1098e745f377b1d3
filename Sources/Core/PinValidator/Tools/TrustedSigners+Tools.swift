#if !CryptoKit
package import PinFormat

extension TrustedSigners {
  /// Verifies signatures over a message that isn't in a file of Pintle's own format, by the same rules.
  ///
  /// - Parameters:
  ///   - signatures: Those of different keys.
  ///   - message: The pre-authentication encoding of what is signed.
  /// - Throws: ``ManifestError`` where too few trusted keys signed, or a signature of one is wrong.
  package func verify(_ signatures: [SignatureEnvelope.Signature], over message: [UInt8]) throws(ManifestError) {
    let known = try known(in: signatures)
    try message.withUnsafeBufferPointer { message throws(ManifestError) in try check(known, over: message) }
  }
}
#endif
