#if !CryptoKit
import CLibCrypto

/// Private keys that a passphrase protects.
extension PrivateKey {
  /// True where PEM holds a private key that only a passphrase opens.
  ///
  /// - Throws: ``CryptoError`` where the PEM holds no private key, or several.
  package static func isProtected(pem: [UInt8]) throws(CryptoError) -> Bool {
    try onlyKey(in: pem).isProtected
  }

  /// Opens a private key with its passphrase: libcrypto's object.
  static func open(_ pem: [UInt8], _ passphrase: SecretBytes) throws(CryptoError) -> OpaquePointer {
    let block = try onlyKey(in: pem)
    LibcryptoUse.begin()
    defer { LibcryptoUse.end() }
    return block.isEncrypted ? try openLegacy(pem, passphrase) : try openPKCS8(block.bytes, passphrase)
  }

  /// EncryptedPrivateKeyInfo (RFC 5958 section 3).
  private static func openPKCS8(_ der: [UInt8], _ passphrase: SecretBytes) throws(CryptoError) -> OpaquePointer {
    let protected = try decoded(
      "the private key", from: der, damaged: "is damaged", by: { d2i_X509_SIG(nil, &$0, $1) },
      free: { X509_SIG_free($0) })
    defer { X509_SIG_free(protected) }
    let opened = passphrase.withBytes { PKCS8_decrypt(protected, $0, Int32(passphrase.count)) }
    guard let opened else {
      // With a wrong passphrase, decryption gives wrong padding, or rarely something that isn't a private key.
      let reason = ERR_GET_REASON(ERR_peek_last_error())
      guard reason == PKCS12_R_PKCS12_CIPHERFINAL_ERROR || reason == PKCS12_R_DECODE_ERROR else {
        throw CryptoError(.unsupported, "the private key is protected in a way that libcrypto doesn't know")
      }
      throw wrongPassphrase
    }
    defer { PKCS8_PRIV_KEY_INFO_free(opened) }
    guard let key = EVP_PKCS82PKEY(opened) else {
      throw CryptoError(.malformed, "the private key is damaged or of an unknown kind")
    }
    return key
  }

  /// PEM with header lines (RFC 1421), as OpenSSL wrote it before PKCS #8.
  private static func openLegacy(_ pem: [UInt8], _ passphrase: SecretBytes) throws(CryptoError) -> OpaquePointer {
    let key = try MemoryBIO.reading(pem) { (bio) throws(CryptoError) in
      // Without a callback, the last argument is the passphrase.
      passphrase.withBytes { PEM_read_bio_PrivateKey(bio, nil, nil, $0) }
    }
    guard let key else { throw wrongPassphrase }
    return key
  }

  private static var wrongPassphrase: CryptoError {
    CryptoError(.wrongPassphrase, "the passphrase doesn't open the private key")
  }

  /// PEM of PKCS #8 that the passphrase opens: AES-256 in CBC mode, by scrypt.
  package func pem(passphrase: SecretBytes) throws(CryptoError) -> [UInt8] {
    // N = 2^14, r = 8, p = 5 needs 16 MiB, and costs as much as OWASP's other minimum settings for scrypt. OpenSSL's
    // default limit is 32 MiB, so every OpenSSL can open it.
    let scrypt = PKCS5_pbe2_set_scrypt(EVP_aes_256_cbc(), nil, 16, nil, 16_384, 8, 5)
    guard let scrypt, let information = withKey({ EVP_PKEY2PKCS8($0) }) else {
      X509_ALGOR_free(scrypt)
      throw CryptoError(.failed, "libcrypto could not encode the private key")
    }
    defer { PKCS8_PRIV_KEY_INFO_free(information) }
    let protected = passphrase.withBytes { PKCS8_set0_pbe($0, Int32(passphrase.count), information, scrypt) }
    guard let protected else {
      X509_ALGOR_free(scrypt)
      throw CryptoError(.failed, "libcrypto could not protect the private key")
    }
    defer { X509_SIG_free(protected) }
    let bio = try MemoryBIO()
    guard PEM_write_bio_PKCS8(bio.pointer, protected) == 1 else {
      throw CryptoError(.failed, "libcrypto could not encode the private key")
    }
    return bio.bytes
  }
}
#endif
