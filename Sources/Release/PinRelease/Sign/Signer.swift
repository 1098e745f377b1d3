package import OpenSSLKit
package import PinFormat

/// Somebody who can sign: the keys that it may sign with, and a way to make signatures.
///
/// The way is a function, so that a private key may stay where it is. Whatever it answers is verified before anybody
/// else sees it.
package struct Signer: Sendable {
  /// A key that signatures are made with, by its public half.
  package struct Key: Hashable, Sendable {
    /// SHA-256 over the public key's SubjectPublicKeyInfo, the `keyid` of its signatures.
    package let id: SHA256Digest
    /// SubjectPublicKeyInfo of the public key, DER.
    package let publicKey: [UInt8]

    /// - Throws: ``CryptoError`` where the key isn't a signer's, or isn't in the one form that clients take.
    package init(publicKey: [UInt8]) throws(CryptoError) {
      guard try PublicKey(subjectPublicKeyInfo: publicKey).isSigningKeyInItsOneForm else {
        throw CryptoError(.malformed, "the public key isn't in the encoding that clients accept")
      }
      id = try SHA256Digest(SHA256.digest(of: publicKey))
      self.publicKey = publicKey
    }
  }

  /// The keys that it may sign with, never none: one for a file; a command signs with one of several, and with which one
  /// is known from its signature.
  package let keys: [Key]
  private let make: @Sendable (_ message: [UInt8]) throws(SignerFailure) -> SignatureEnvelope.Signature

  init(
    keys: [Key], make: @escaping @Sendable (_ message: [UInt8]) throws(SignerFailure) -> SignatureEnvelope.Signature
  ) {
    self.keys = keys
    self.make = make
  }

  /// A signer by a private key that was read from a file.
  ///
  /// - Throws: ``CryptoError`` where the PEM holds no private key that can sign, or one with a passphrase.
  package init(pem: [UInt8]) throws(CryptoError) {
    try self.init(privateKey: PrivateKey(pem: pem))
  }

  /// A signer by a private key that is at hand.
  package init(privateKey: consuming PrivateKey) throws(CryptoError) {
    let owned = OwnedKey(privateKey)
    let key = try Key(publicKey: try owned.value.subjectPublicKeyInfo())
    self.init(keys: [key]) { (message) throws(SignerFailure) in
      do throws(CryptoError) {
        let signature = try owned.value.sign(message)
        // A wrong signature must not be published: a computation error may reveal the key.
        guard try PublicKey(subjectPublicKeyInfo: key.publicKey).isValid(signature: signature, for: message) else {
          throw CryptoError(.failed, "the signature that was made doesn't verify")
        }
        return SignatureEnvelope.Signature(keyID: key.id, bytes: signature)
      } catch {
        throw SignerFailure(error.message)
      }
    }
  }

  /// Signs a message, and says with which key.
  ///
  /// - Parameter message: The pre-authentication encoding of what is signed.
  /// - Returns: A signature of one of ``keys`` that fits the message.
  /// - Throws: ``SignerFailure``, which is for people.
  package func sign(_ message: [UInt8]) throws(SignerFailure) -> SignatureEnvelope.Signature {
    try make(message)
  }
}

/// Why a signer could not sign.
package struct SignerFailure: Error, Hashable, Sendable {
  /// What went wrong: one clause, lower case, no full stop.
  package var message: String
  /// What to do about it.
  package var help: String?

  package init(_ message: String, help: String? = nil) {
    self.message = message
    self.help = help
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

extension [Signer] {
  /// Has each sign a message; one that is twice signs once.
  ///
  /// - Returns: Their signatures, of different keys.
  /// - Throws: ``SignerFailure`` of the first that can't, or that signs with a key of another one.
  package func signatures(over message: [UInt8]) throws(SignerFailure) -> [SignatureEnvelope.Signature] {
    var made: [SignatureEnvelope.Signature] = []
    for signer in self {
      if signer.keys.count == 1, made.contains(where: { $0.keyID == signer.keys[0].id }) { continue }
      let signature = try signer.sign(message)
      guard !made.contains(where: { $0.keyID == signature.keyID }) else {
        throw SignerFailure(
          "two signers signed with the same key, \(signature.keyID.hex)",
          help: "Name each key once: signatures of different keys count.")
      }
      made.append(signature)
    }
    return made
  }
}
