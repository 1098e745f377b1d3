#if !CryptoKit
import CLibCrypto

extension UnusualKeyForm {
  /// Checks that a key can be pinned: that clients don't reject the certificates that hold these bytes.
  package static func check(_ spki: [UInt8]) throws(CryptoError) {
    if let form = UnusualKeyForm(of: spki) {
      if form == .otherAlgorithm, let name = KeyAlgorithm.name(in: spki) {
        throw CryptoError(
          .unusualKeyForm,
          "keys of type \(name) aren't accepted, so clients reject its certificates; use a key of type RSA, EC or ML-DSA"
        )
      }
      throw CryptoError(
        .unusualKeyForm, "\(form.rawValue) (\(form.rule)), so clients reject its certificates; \(form.remedy)")
    }
    // A key that this libcrypto doesn't verify isn't RSA.
    guard let key = try? PublicKey(subjectPublicKeyInfo: spki) else { return }
    guard key.withKey(hasSoundExponent) else {
      throw CryptoError(
        .unusualKeyForm,
        "the RSA key's exponent is even or 1 (RFC 8017 section 3.1), so clients reject its certificates; make a new key"
      )
    }
    if let factor = key.withKey(smallFactor) {
      throw CryptoError(
        .unusualKeyForm,
        """
        the RSA key's modulus can be divided by \(factor), so it isn't the product of large primes (RFC 8017 section 3.1); \
        export the key again, or make a new one
        """)
    }
  }

  /// The least divisor below 1,024 of an RSA key's modulus: a damaged modulus most likely has one, and a real one never.
  private static func smallFactor(of key: OpaquePointer) -> UInt? {
    let id = EVP_PKEY_get_base_id(key)
    var modulus: OpaquePointer?
    guard id == EVP_PKEY_RSA, EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &modulus) == 1 else { return nil }
    defer { BN_free(modulus) }
    return (2..<1_024).first { BN_mod_word(modulus, $0) == 0 }
  }

  /// What the owner of the key can do.
  package var remedy: String {
    switch self {
    case .compressedPoint, .hybridPoint:
      "write the key with an uncompressed point (openssl ec -conv_form uncompressed), and have its certificate issued for that"
    case .explicitCurve, .wirelessCurve:
      "write the key with a named curve (openssl ec -param_enc named_curve), and have its certificate issued for that"
    case .rsaPSS, .rsaParameters: "use a key of type rsaEncryption, and have its certificate issued for that"
    case .notDER, .edwardsParameters, .mlDSAParameters, .unreducedPoint, .otherAlgorithm:
      "have key and certificate made by a current tool"
    }
  }
}
#endif
