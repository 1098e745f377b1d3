#if !CryptoKit
import CLibCrypto
#endif

/// The kind of a public key and its size.
package enum KeyAlgorithm: Hashable, Sendable {
  case rsa(bits: Int)
  /// A key that may only be used with RSASSA-PSS.
  case rsaPSS(bits: Int)
  /// The field size, and the curve's common name (`P-256`), or `explicit` where the key spells out its parameters.
  case ec(bits: Int, curve: String)
  case ed25519
  case ed448
  case mlDSA(MLDSA)
  /// Any other, by its name, or its object identifier with dots.
  case other(String)
  #if !CryptoKit

  init?(of key: OpaquePointer) {
    let bits = Int(EVP_PKEY_get_bits(key))
    switch EVP_PKEY_get_base_id(key) {
    case EVP_PKEY_RSA: self = .rsa(bits: bits)
    case EVP_PKEY_RSA_PSS: self = .rsaPSS(bits: bits)
    case EVP_PKEY_EC: self = .ec(bits: bits, curve: Self.curve(of: key))
    case EVP_PKEY_ED25519: self = .ed25519
    case EVP_PKEY_ED448: self = .ed448
    default: return nil
    }
  }

  /// What libcrypto has read, or else what the SubjectPublicKeyInfo names; nil where the key is damaged.
  ///
  /// libcrypto 3.0 doesn't know all algorithms, and later ones have no number for some.
  init?(of key: OpaquePointer?, _ bytes: [UInt8], _ spki: Range<Int>) {
    let found = key.flatMap { KeyAlgorithm(of: $0) } ?? bytes.withUnsafeBytes { KeyAlgorithm(namedIn: $0, spki) }
    guard let found else { return nil }
    self = found
  }

  private static func curve(of key: OpaquePointer) -> String {
    guard !hasExplicitParameters(key) else { return "explicit" }
    var buffer = [CChar](repeating: 0, count: 64)
    var length = 0
    guard EVP_PKEY_get_group_name(key, &buffer, buffer.count, &length) == 1 else { return "explicit" }
    switch OBJ_sn2nid(buffer) {
    case NID_X9_62_prime256v1: return "P-256"
    case NID_secp384r1: return "P-384"
    case NID_secp521r1: return "P-521"
    default: return String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }

  private static func hasExplicitParameters(_ key: OpaquePointer) -> Bool {
    var explicit: Int32 = 0
    // "decoded-from-explicit" is also set if the explicit parameters are those of a named curve.
    guard EVP_PKEY_get_int_param(key, OSSL_PKEY_PARAM_EC_DECODED_FROM_EXPLICIT_PARAMS, &explicit) == 1 else {
      return false
    }
    return explicit != 0
  }
  #endif
}

extension KeyAlgorithm {
  /// The algorithm that a SubjectPublicKeyInfo names, where libcrypto may not know it; nil for others, and for a key that
  /// isn't as long as its algorithm's are.
  init?(namedIn bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
    var whole = DERReader(bytes, range)
    guard var info = whole.enter(.sequence), var algorithm = info.enter(.sequence),
      let identifier = algorithm.contents(.objectIdentifier), let key = info.contents(.bitString)
    else { return nil }
    let name = AlgorithmName(bytes, identifier)
    if let mlDSA = name.mlDSA {
      // The first byte is the number of unused bits.
      guard key.count == mlDSA.publicKeyBytes + 1 else { return nil }
      self = .mlDSA(mlDSA)
    } else {
      guard !name.isOfClassicKey else { return nil }
      self = .other(name.text)
    }
  }

  /// What the algorithm of a SubjectPublicKeyInfo, or of a private key in PKCS#8, is called; nil where it can't be read, or
  /// every libcrypto knows it.
  static func name(in key: [UInt8]) -> String? {
    key.withUnsafeBytes { bytes in
      var whole = DERReader(bytes, bytes.indices)
      guard var info = whole.enter(.sequence) else { return nil }
      // The version of PKCS#8.
      _ = info.skip(.integer)
      guard var algorithm = info.enter(.sequence) else { return nil }
      let name = algorithm.contents(.objectIdentifier).map { AlgorithmName(bytes, $0) }
      return name.flatMap { $0.isOfClassicKey ? nil : $0.text }
    }
  }
}

/// How manifests and keysets are signed.
package enum SigningAlgorithm: Hashable, Sendable {
  /// Pure Ed25519 (RFC 8032).
  case ed25519
  /// ECDSA on P-256 with SHA-256, the signature in DER.
  case ecdsaP256

  /// The algorithm that fits a key.
  ///
  /// - Throws: ``CryptoError`` of code `unsupported` for a key that isn't used for signing here.
  package init(_ algorithm: KeyAlgorithm) throws(CryptoError) {
    switch algorithm {
    case .ed25519: self = .ed25519
    case .ec(bits: _, let curve) where curve.isSame(as: "P-256"): self = .ecdsaP256
    default:
      throw CryptoError(.unsupported, "the key is \(algorithm.title); a signing key must be Ed25519 or ECDSA P-256")
    }
  }

  /// The digest to name to libcrypto; Ed25519 has none of its own.
  var digestName: String? {
    switch self {
    case .ed25519: nil
    case .ecdsaP256: "SHA256"
    }
  }
}
