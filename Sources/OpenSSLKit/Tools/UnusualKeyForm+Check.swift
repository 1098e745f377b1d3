#if !CryptoKit
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
    if let key = try? PublicKey(subjectPublicKeyInfo: spki), !key.withKey(hasSoundExponent) {
      throw CryptoError(
        .unusualKeyForm,
        "the RSA key's exponent is even or 1 (RFC 8017 section 3.1), so clients reject its certificates; make a new key"
      )
    }
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
