package import OpenSSLKit
package import PinFormat

/// The keys of a keyset as signatures know them, by their ids, with the names that people know them by.
package struct Keyring: Sendable {
  /// One key.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var keyID: SHA256Digest
    package var algorithm: SigningAlgorithm
    package var isRoot: Bool
    package var isSigner: Bool
    /// SubjectPublicKeyInfo, DER.
    package var publicKey: [UInt8]

    /// True where the signature is this key's over the message.
    package func signed(_ message: [UInt8], _ signature: [UInt8]) throws(CryptoError) -> Bool {
      try PublicKey(subjectPublicKeyInfo: publicKey).isValid(signature: signature, for: message)
    }
  }

  /// The keys, in the order of the keyset.
  package let members: [Member]

  /// Looks at all keys of a keyset.
  ///
  /// - Throws: ``KeysetFileError`` where a key isn't one that a client would take.
  package init(_ keyset: Keyset) throws(KeysetFileError) {
    var members: [Member] = []
    for key in keyset.keys {
      do throws(CryptoError) {
        let publicKey = try PublicKey(subjectPublicKeyInfo: key.subjectPublicKeyInfo)
        guard try publicKey.isSigningKeyInItsOneForm else {
          throw CryptoError(.malformed, "it must be in DER, a point on P-256 uncompressed")
        }
        members.append(
          Member(
            name: key.name, keyID: SHA256Digest(try publicKey.digest()),
            algorithm: try SigningAlgorithm(publicKey.algorithm), isRoot: keyset.roots.keys.contains(key.name),
            isSigner: keyset.signers.keys.contains(key.name), publicKey: key.subjectPublicKeyInfo))
      } catch {
        throw .unusableKey(name: key.name, error)
      }
    }
    self.members = members
  }

  /// The key of an id.
  package subscript(_ keyID: SHA256Digest) -> Member? { members.first { $0.keyID == keyID } }

  /// The key of a name.
  package subscript(_ name: String) -> Member? { members.first { $0.name == name } }

  /// A message with the names of keys in the place of "the key" and their ids.
  package func naming(in message: String) -> String {
    members.reduce(message) { message, member in
      message.split(separator: "the key " + member.keyID.hex, omittingEmptySubsequences: false)
        .joined(separator: "'\(member.name)'")
    }
  }

  /// The keys that sign keysets.
  package var roots: [Member] { members.filter(\.isRoot) }

  /// The keys that sign manifests.
  package var signers: [Member] { members.filter(\.isSigner) }
}

extension SigningAlgorithm {
  /// The name that the command line has for it.
  package var name: String {
    switch self {
    case .ed25519: "ed25519"
    case .ecdsaP256: "ecdsa-p256"
    }
  }
}
