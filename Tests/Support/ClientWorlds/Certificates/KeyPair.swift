import CLibCrypto
import OpenSSLKit
import PinFormat
import Synchronization

/// A private key of any kind that a server or an authority may have, and its public key.
///
/// `PrivateKey` of OpenSSLKit only has the kinds that sign manifests.
final class KeyPair: @unchecked Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case p256 = "P-256"
    case p384 = "P-384"
    case rsa2048 = "RSA-2048"
    case rsa3072 = "RSA-3072"
    case ed25519 = "Ed25519"
    /// Its private key signs nothing.
    case rsaEvenExponent = "RSA-2048 with exponent 65536"

    var isRSA: Bool { self == .rsa2048 || self == .rsa3072 || self == .rsaEvenExponent }
  }

  let kind: Kind
  /// SubjectPublicKeyInfo, DER.
  let publicKey: [UInt8]
  let pin: Pin
  /// Never freed, because all last as long as the process; signing doesn't change it.
  private let pointer: OpaquePointer

  init(_ kind: Kind) throws {
    self.kind = kind
    let key = try Self.generate(kind)
    var der = [UInt8](repeating: 0, count: Int(max(0, i2d_PUBKEY(key, nil))))
    let length = der.withUnsafeMutableBufferPointer { buffer in
      var cursor = buffer.baseAddress
      return i2d_PUBKEY(key, &cursor)
    }
    guard length == Int32(der.count), length > 0 else { throw KeyPairError() }
    // The exponent comes last.
    if kind == .rsaEvenExponent { der[der.count - 1] = 0 }
    pointer = key
    publicKey = der
    pin = Pin(SHA256Digest(try SHA256.digest(of: der)))
  }

  private static func generate(_ kind: Kind) throws -> OpaquePointer {
    let name =
      switch kind {
      case .p256, .p384: "EC"
      case .rsa2048, .rsa3072, .rsaEvenExponent: "RSA"
      case .ed25519: "ED25519"
      }
    guard let context = EVP_PKEY_CTX_new_from_name(nil, name, nil) else { throw KeyPairError() }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1 else { throw KeyPairError() }
    switch kind {
    case .p256, .p384: _ = EVP_PKEY_CTX_set_group_name(context, kind.rawValue)
    case .rsa2048, .rsaEvenExponent: _ = EVP_PKEY_CTX_set_rsa_keygen_bits(context, 2048)
    case .rsa3072: _ = EVP_PKEY_CTX_set_rsa_keygen_bits(context, 3072)
    case .ed25519: break
    }
    guard EVP_PKEY_generate(context, &key) == 1, let key else { throw KeyPairError() }
    return key
  }

  /// Signs, with RSA by PKCS #1 or by PSS as the signature algorithm says.
  func sign(_ message: [UInt8], isPSS: Bool) throws -> [UInt8] {
    guard let context = EVP_MD_CTX_new() else { throw KeyPairError() }
    defer { EVP_MD_CTX_free(context) }
    var settings: OpaquePointer?
    let digest = kind == .ed25519 ? nil : kind == .p384 ? "SHA384" : "SHA256"
    guard EVP_DigestSignInit_ex(context, &settings, digest, nil, nil, pointer, nil) == 1 else { throw KeyPairError() }
    if isPSS {
      guard EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1,
        EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, 32) == 1
      else { throw KeyPairError() }
    }
    var length = 0
    guard EVP_DigestSign(context, nil, &length, message, message.count) == 1 else { throw KeyPairError() }
    var signature = [UInt8](repeating: 0, count: length)
    guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else { throw KeyPairError() }
    return Array(signature.prefix(length))
  }
}

struct KeyPairError: Error {}

/// All keys of all worlds, each made when it is first needed and then kept: RSA takes long.
///
/// A world names a key by what it is for and its kind, so that worlds don't depend on the order in which they are tried.
final class KeyRing: Sendable {
  enum Use: Int, CaseIterable, Sendable {
    case rootA, rootB, rootC, intermediateA, intermediateB, intermediateC, leafOld, leafNew, leafOther, spare
  }

  private let pairs = Mutex<[String: KeyPair]>([:])

  func pair(_ use: Use, _ kind: KeyPair.Kind) -> KeyPair {
    let kind = use == .spare ? .p256 : kind
    return pairs.withLock { pairs in
      let name = "\(use) \(kind)"
      if let pair = pairs[name] { return pair }
      guard let pair = try? KeyPair(kind) else { preconditionFailure("libcrypto makes no key of the kind \(kind)") }
      pairs[name] = pair
      return pair
    }
  }
}
