/// SubjectPublicKeyInfo of a P-256 key up to the point's coordinates (RFC 5480), the point uncompressed.
private let prefixOfP256: [UInt8] = [
  0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
  0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
]

/// SubjectPublicKeyInfo of an Ed25519 key up to the key itself (RFC 8410).
private let prefixOfEd25519: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]

extension PublicKey {
  /// True for a signing key whose bytes are in the one form that each such key has.
  ///
  /// libcrypto also reads a compressed point, or lengths in BER: the same key under another digest, which would count
  /// as a second signer.
  ///
  /// - Throws: ``CryptoError`` of code `unsupported` where the key isn't one that signs manifests.
  package var isSigningKeyInItsOneForm: Bool {
    get throws(CryptoError) {
      switch try SigningAlgorithm(algorithm) {
      case .ed25519: subjectPublicKeyInfo.count == 44 && subjectPublicKeyInfo.starts(with: prefixOfEd25519)
      case .ecdsaP256: subjectPublicKeyInfo.count == 91 && subjectPublicKeyInfo.starts(with: prefixOfP256)
      }
    }
  }

  /// Checks that the key is in its one form, and that only who has the private key can sign by it.
  ///
  /// - Throws: ``CryptoError`` saying why the key can't be trusted to sign.
  package func checkSigningKey() throws(CryptoError) {
    guard try isSigningKeyInItsOneForm else {
      throw CryptoError(.malformed, "it must be in DER, a point on P-256 uncompressed")
    }
    // libcrypto checks a point on P-256 when it reads the key.
    guard algorithm == .ed25519 else {
      #if CryptoKit
      guard isOnP256(subjectPublicKeyInfo.suffix(64)) else {
        throw CryptoError(.malformed, "it isn't a point on P-256")
      }
      #endif
      return
    }
    switch try Edwards25519Point(subjectPublicKeyInfo.suffix(32)) {
    case .usable: return
    case .otherForm: throw CryptoError(.malformed, "its y isn't below 2^255 - 19, so another key is the same")
    case .smallOrder: throw CryptoError(.malformed, "it is of small order, so anybody can sign for it")
    case .notOnCurve: throw CryptoError(.malformed, "it isn't a point of Ed25519's curve")
    }
  }
}
