#if !CryptoKit
import CLibCrypto

/// Signatures that no client takes: to tell somebody who signed in another way what went wrong.
extension PublicKey {
  /// True where an ECDSA signature is the key's over a message that was hashed by another function than SHA-256.
  ///
  /// - Parameters:
  ///   - signature: The signature, DER.
  ///   - message: What was signed.
  ///   - digest: libcrypto's name of the function, such as `SHA384`.
  /// - Returns: Whether it is; false as well where it can't be told.
  package func isValid(signature: [UInt8], for message: [UInt8], hashedBy digest: String) -> Bool {
    guard let context = EVP_MD_CTX_new() else { return false }
    defer { EVP_MD_CTX_free(context) }
    LibcryptoUse.begin()
    defer { LibcryptoUse.end() }
    return withKey { key in
      EVP_DigestVerifyInit_ex(context, nil, digest, nil, nil, key, nil) == 1
        && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }
  }

  /// True where an ECDSA signature is the key's over bytes that were used as a digest.
  package func isValid(signature: [UInt8], forDigest digest: [UInt8]) -> Bool {
    LibcryptoUse.begin()
    defer { LibcryptoUse.end() }
    return withKey { key in
      guard let context = EVP_PKEY_CTX_new(key, nil) else { return false }
      defer { EVP_PKEY_CTX_free(context) }
      return EVP_PKEY_verify_init(context) == 1
        && EVP_PKEY_verify(context, signature, signature.count, digest, digest.count) == 1
    }
  }
}

extension PublicKey {
  /// PEM of the SubjectPublicKeyInfo.
  package func pem() throws(CryptoError) -> [UInt8] {
    try PEMBlock.write(label: "PUBLIC KEY", bytes: subjectPublicKeyInfo)
  }
}
#endif
