#if CryptoKit
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif

/// A public key of any kind, with the SubjectPublicKeyInfo bytes that it was read from.
package final class PublicKey {
  /// The SubjectPublicKeyInfo as it was given, DER.
  package let subjectPublicKeyInfo: [UInt8]
  package let algorithm: KeyAlgorithm

  /// Reads a DER SubjectPublicKeyInfo, all of whose bytes belong to it.
  package init(subjectPublicKeyInfo: [UInt8]) throws(CryptoError) {
    let key = subjectPublicKeyInfo.withUnsafeBytes { KeyFields($0, $0.startIndex..<$0.endIndex) }
    guard let key else { throw CryptoError(.malformed, "the public key is damaged") }
    self.subjectPublicKeyInfo = subjectPublicKeyInfo
    algorithm = key.algorithm
  }

  /// Reads PEM that holds one public key.
  package convenience init(pem: [UInt8]) throws(CryptoError) {
    try self.init(subjectPublicKeyInfo: try PEMBlock.onlyPublicKey(in: pem).bytes)
  }

  /// SHA-256 over the SubjectPublicKeyInfo: a pin's bytes, and what names a signing key.
  package func digest() throws(CryptoError) -> SHA256.Value {
    try SHA256.digest(of: subjectPublicKeyInfo)
  }

  /// True where the signature is the key's over bytes that somebody lends.
  ///
  /// The forms of keys and signatures are checked here and in ``checkSigningKey()``, whatever CryptoKit accepts.
  ///
  /// - Throws: ``CryptoError`` of code `unsupported` where the key isn't one that signs manifests. A signature in any
  ///   other form than the one canonical form is simply false.
  package func isValid(signature: [UInt8], for message: UnsafeBufferPointer<UInt8>) throws(CryptoError) -> Bool {
    switch try SigningAlgorithm(algorithm) {
    case .ed25519:
      guard isCanonicalEd25519Signature(signature),
        let key = try? Curve25519.Signing.PublicKey(rawRepresentation: subjectPublicKeyInfo.suffix(32))
      else { return false }
      return key.isValidSignature(signature, for: message)
    case .ecdsaP256:
      guard isCanonicalP256Signature(signature),
        let key = try? P256.Signing.PublicKey(x963Representation: subjectPublicKeyInfo.suffix(65)),
        let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
      else { return false }
      return key.isValidSignature(signature, for: message)
    }
  }
}
#endif
