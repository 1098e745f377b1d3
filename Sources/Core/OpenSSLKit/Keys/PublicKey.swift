#if !CryptoKit
import CLibCrypto

/// A public key of any kind, with the SubjectPublicKeyInfo bytes that it was read from.
///
/// A class because other modules hold it: Embedded Swift destroys a non-copyable value in its own module only.
package final class PublicKey {
  /// The SubjectPublicKeyInfo as it was given, DER.
  package let subjectPublicKeyInfo: [UInt8]
  package let algorithm: KeyAlgorithm
  private let pointer: OpaquePointer

  /// Reads a DER SubjectPublicKeyInfo, all of whose bytes belong to it.
  package convenience init(subjectPublicKeyInfo: [UInt8]) throws(CryptoError) {
    let pointer: OpaquePointer
    do throws(CryptoError) {
      pointer = try decoded(
        "the public key", from: subjectPublicKeyInfo, by: { d2i_PUBKEY(nil, &$0, $1) }, free: { EVP_PKEY_free($0) })
    } catch {
      guard let algorithm = KeyAlgorithm(of: nil, subjectPublicKeyInfo, subjectPublicKeyInfo.indices) else {
        throw error
      }
      throw CryptoError(.unsupported, algorithm.unreadKey)
    }
    guard let algorithm = KeyAlgorithm(of: pointer, subjectPublicKeyInfo, subjectPublicKeyInfo.indices) else {
      LibcryptoUse.during { EVP_PKEY_free(pointer) }
      throw CryptoError(.malformed, "the public key is damaged")
    }
    self.init(owning: pointer, algorithm, subjectPublicKeyInfo)
  }

  /// Takes over an object that was read; as with certificates, nothing may fail once there is an instance.
  private init(owning pointer: OpaquePointer, _ algorithm: KeyAlgorithm, _ subjectPublicKeyInfo: [UInt8]) {
    self.pointer = pointer
    self.algorithm = algorithm
    self.subjectPublicKeyInfo = subjectPublicKeyInfo
  }

  /// Reads PEM that holds one public key.
  package convenience init(pem: [UInt8]) throws(CryptoError) {
    try self.init(subjectPublicKeyInfo: try PEMBlock.onlyPublicKey(in: pem).bytes)
  }

  deinit {
    LibcryptoUse.during { EVP_PKEY_free(pointer) }
  }

  /// Lends libcrypto's object.
  func withKey<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(pointer) }

  /// SHA-256 over the SubjectPublicKeyInfo: a pin's bytes, and what names a signing key.
  package func digest() throws(CryptoError) -> SHA256.Value {
    try SHA256.digest(of: subjectPublicKeyInfo)
  }

  /// True where the signature is the key's over the message.
  ///
  /// - Throws: ``CryptoError`` of code `unsupported` where the key isn't one that signs manifests. A signature in any
  ///   other form than the one canonical form is simply false.
  package func isValid(signature: [UInt8], for message: [UInt8]) throws(CryptoError) -> Bool {
    try isValid(signature: signature, for: message, in: message.indices)
  }

  /// True where the signature is the key's over a part of some bytes.
  package func isValid(signature: [UInt8], for bytes: [UInt8], in message: Range<Int>) throws(CryptoError) -> Bool {
    try bytes.span.extracting(message).withUnsafeBufferPointer { message throws(CryptoError) in
      try isValid(signature: signature, for: message)
    }
  }

  /// True where the signature is the key's over bytes that somebody lends.
  package func isValid(signature: [UInt8], for message: UnsafeBufferPointer<UInt8>) throws(CryptoError) -> Bool {
    let signing = try SigningAlgorithm(algorithm)
    if signing == .ecdsaP256, !isCanonicalP256Signature(signature) { return false }
    LibcryptoUse.begin()
    defer { LibcryptoUse.end() }
    guard let context = EVP_MD_CTX_new() else { throw CryptoError(.outOfMemory, "no memory for a signature") }
    defer { EVP_MD_CTX_free(context) }
    guard EVP_DigestVerifyInit_ex(context, nil, signing.digestName, nil, nil, pointer, nil) == 1 else {
      throw CryptoError(.failed, "libcrypto could not verify")
    }
    return EVP_DigestVerify(context, signature, signature.count, message.baseAddress, message.count) == 1
  }
}
#endif
