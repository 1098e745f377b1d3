package import OpenSSLKit
package import PinFormat

/// Somebody who can sign: a key's name and a way to make signatures with it.
///
/// The way is a function, so that a private key may stay where it is.
package struct Signer: Sendable {
  /// SHA-256 over the public key's SubjectPublicKeyInfo, the `keyid` of its signatures.
  package let keyID: SHA256Digest
  /// SubjectPublicKeyInfo of the public key, DER.
  package let publicKey: [UInt8]
  package let sign: @Sendable (_ message: [UInt8]) throws(CryptoError) -> [UInt8]

  package init(
    publicKey: [UInt8], sign: @escaping @Sendable (_ message: [UInt8]) throws(CryptoError) -> [UInt8]
  ) throws(CryptoError) {
    keyID = try SHA256Digest(SHA256.digest(of: publicKey))
    self.publicKey = publicKey
    self.sign = sign
  }

  /// A signer by a private key that was read from a file.
  ///
  /// - Throws: ``CryptoError`` where the PEM holds no private key that can sign, or one with a passphrase.
  package init(pem: [UInt8]) throws(CryptoError) {
    let key = OwnedKey(try PrivateKey(pem: pem))
    try self.init(publicKey: try key.value.subjectPublicKeyInfo()) { (message) throws(CryptoError) in
      try key.value.sign(message)
    }
  }
}

/// Keeps a key alive for as long as some closure may sign with it.
///
/// `@unchecked`, because libcrypto only reads a key while signing; nothing changes it after it was made.
private final class OwnedKey: @unchecked Sendable {
  let value: PrivateKey

  init(_ value: consuming PrivateKey) {
    self.value = value
  }
}
