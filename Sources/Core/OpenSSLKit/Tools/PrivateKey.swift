#if !CryptoKit
import CLibCrypto

/// A private key that can sign: Ed25519 or ECDSA P-256.
package struct PrivateKey: ~Copyable {
  /// How it signs.
  package let algorithm: SigningAlgorithm
  private let pointer: OpaquePointer

  /// Makes a new key.
  package init(generating algorithm: SigningAlgorithm) throws(CryptoError) {
    let key =
      switch algorithm {
      case .ed25519: pintle_generate_ed25519()
      case .ecdsaP256: pintle_generate_p256()
      }
    guard let key else { throw CryptoError(.failed, "libcrypto could not generate a key") }
    self.algorithm = algorithm
    pointer = key
  }

  /// Reads PEM that holds one private key without a passphrase: PKCS#8 or SEC 1.
  package init(pem: [UInt8]) throws(CryptoError) {
    var block = try Self.onlyKey(in: pem)
    defer { block.wipe() }
    guard !block.isProtected else {
      throw CryptoError(.encryptedKey, "the private key is protected by a passphrase")
    }
    let key: OpaquePointer
    do throws(CryptoError) {
      key = try decoded(
        "the private key", from: block.bytes, by: { d2i_AutoPrivateKey(nil, &$0, $1) }, free: { EVP_PKEY_free($0) })
    } catch {
      if let name = KeyAlgorithm.name(in: block.bytes) { _ = try SigningAlgorithm(.other(name)) }
      throw error
    }
    try self.init(taking: key)
  }

  /// Reads PEM that holds one private key with a passphrase: PKCS#8, or the older form with header lines.
  ///
  /// - Throws: ``CryptoError``, of code `wrongPassphrase` where the passphrase is another; mostly it is the same where the
  ///   file is damaged.
  package init(pem: [UInt8], passphrase: SecretBytes) throws(CryptoError) {
    try self.init(taking: Self.open(pem, passphrase))
  }

  /// The block of PEM that holds its one private key.
  static func onlyKey(in pem: [UInt8]) throws(CryptoError) -> PEMBlock {
    let keys = try PEMBlock.read(pem).filter { $0.isPrivateKey }
    guard let block = keys.first else { throw CryptoError(.nothingFound, "no private key in the PEM text") }
    guard keys.count == 1 else { throw CryptoError(.malformed, "more than one private key in the PEM text") }
    return block
  }

  /// Takes over libcrypto's object, or frees it.
  private init(taking key: OpaquePointer) throws(CryptoError) {
    do throws(CryptoError) {
      algorithm = try Self.prepare(key)
    } catch {
      EVP_PKEY_free(key)
      throw error
    }
    pointer = key
  }

  deinit {
    LibcryptoUse.during { EVP_PKEY_free(pointer) }
  }

  /// How a key signs; from then on libcrypto gives its public key in the one form that it has, whatever the file says.
  private static func prepare(_ key: OpaquePointer) throws(CryptoError) -> SigningAlgorithm {
    let name = EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "of an unknown type"
    let algorithm = try SigningAlgorithm(KeyAlgorithm(of: key) ?? .other(name))
    guard algorithm == .ecdsaP256 else { return algorithm }
    let format = OSSL_PKEY_PARAM_EC_POINT_CONVERSION_FORMAT
    guard EVP_PKEY_set_utf8_string_param(key, format, "uncompressed") == 1 else {
      throw CryptoError(.failed, "libcrypto could not take the private key")
    }
    return algorithm
  }

  /// Lends libcrypto's object.
  borrowing func withKey<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(pointer) }

  /// True for DER of a private key of any kind, protected or not.
  static func isPrivateKey(der: [UInt8]) -> Bool {
    der.withUnsafeBufferPointer { bytes in
      LibcryptoUse.begin()
      defer { LibcryptoUse.end() }
      var cursor = bytes.baseAddress
      if let key = d2i_AutoPrivateKey(nil, &cursor, bytes.count) {
        EVP_PKEY_free(key)
        return true
      }
      // EncryptedPrivateKeyInfo has the same structure as X509_SIG (RFC 5208 section 6).
      cursor = bytes.baseAddress
      guard let protected = d2i_X509_SIG(nil, &cursor, bytes.count) else { return false }
      X509_SIG_free(protected)
      return true
    }
  }

  /// PEM of PKCS#8, without a passphrase.
  package func pem() throws(CryptoError) -> [UInt8] {
    let bio = try MemoryBIO(secret: true)
    guard PEM_write_bio_PKCS8PrivateKey(bio.pointer, pointer, nil, nil, 0, nil, nil) == 1 else {
      throw CryptoError(.failed, "libcrypto could not encode the private key")
    }
    return bio.bytes
  }

  /// SubjectPublicKeyInfo of its public key, DER.
  package func subjectPublicKeyInfo() throws(CryptoError) -> [UInt8] {
    try encoded { i2d_PUBKEY(pointer, $0) }
  }

  /// Its public key.
  package func publicKey() throws(CryptoError) -> PublicKey {
    try PublicKey(subjectPublicKeyInfo: subjectPublicKeyInfo())
  }

  /// Signs a message: 64 bytes for Ed25519, DER for ECDSA.
  package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw CryptoError(.outOfMemory, "no memory for a signature") }
    defer { EVP_MD_CTX_free(context) }
    var length = 0
    guard EVP_DigestSignInit_ex(context, nil, algorithm.digestName, nil, nil, pointer, nil) == 1,
      EVP_DigestSign(context, nil, &length, message, message.count) == 1
    else { throw CryptoError(.failed, "libcrypto could not sign") }
    var signature = [UInt8](repeating: 0, count: length)
    guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else {
      throw CryptoError(.failed, "libcrypto could not sign")
    }
    signature.removeLast(signature.count - length)
    return signature
  }
}

extension PEMBlock {
  /// True for a private key that only a passphrase opens.
  var isProtected: Bool { isEncrypted || label.utf8.starts(with: "ENCRYPTED".utf8) }

  /// Overwrites the bytes, which were a private key's.
  fileprivate mutating func wipe() { OpenSSLKit.wipe(&bytes) }
}

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
