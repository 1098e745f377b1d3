import OpenSSLKit

/// A public key in place of one that isn't known, or of which only the kind and size are.
///
/// It isn't a secret: anybody could compute the private half of most of them, so no chain with it may leave the process.
enum StandInKey {
  /// A SubjectPublicKeyInfo of the same kind and size; of a kind that isn't listed here, of one that the libcrypto in use
  /// doesn't verify, and of none, one on P-256.
  static func subjectPublicKeyInfo(like algorithm: KeyAlgorithm?) -> [UInt8] {
    switch algorithm {
    case .rsa(let bits), .rsaPSS(let bits): rsa(bits: bits)
    case .ec(384, "P-384"): ec([0x2B, 0x81, 0x04, 0x00, 0x22], point: p384)
    case .ec(521, "P-521"): ec([0x2B, 0x81, 0x04, 0x00, 0x23], point: p521)
    case .ed25519: edwards(0x70, bytes: 32)
    // The last byte holds only the sign of x (RFC 8032 section 5.2.2).
    case .ed448: edwards(0x71, bytes: 56, last: [0x00])
    case .mlDSA(let parameters) where parameters.isVerified: mlDSA(parameters)
    case .ec, .mlDSA, .other, nil: ec([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07], point: p256)
    }
  }

  /// The key that could have made a certificate's signature.
  static func subjectPublicKeyInfo(signing certificate: Certificate) -> [UInt8] {
    switch certificate.signature.family {
    case .rsaPKCS1, .rsaPSS: rsa(bits: 4096)
    // The identifier of either algorithm has no parameters (RFC 8410 section 3), so its name comes last.
    case .eddsa:
      subjectPublicKeyInfo(
        like: certificate.der[certificate.layout.signatureAlgorithm].last == 0x71 ? .ed448 : .ed25519)
    case .mlDSA(let parameters): mlDSA(parameters)
    case .ecdsa, .other: subjectPublicKeyInfo(like: nil)
    }
  }

  /// An odd modulus with all bits set, and exponent 65537 (RFC 8017 appendix A.1.1).
  private static func rsa(bits: Int) -> [UInt8] {
    let first = UInt8(truncatingIfNeeded: (1 << ((bits - 1) % 8 + 1)) - 1)
    let modulus = [first] + [UInt8](repeating: 0xFF, count: max(0, (bits - 1) / 8))
    let key = DERElement.sequence(
      DERElement.make(0x02, (first >= 0x80 ? [0] : []) + modulus) + [0x02, 0x03, 0x01, 0x00, 0x01])
    let algorithm: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 0x05, 0x00]
    return DERElement.sequence(DERElement.sequence(algorithm) + DERElement.make(0x03, [0] + key))
  }

  /// The base point of a curve, which is a public key like any other (RFC 5480 section 2).
  private static func ec(_ curve: [UInt8], point: String) -> [UInt8] {
    let algorithm = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01] + DERElement.make(0x06, curve)
    let digits = Array(point.utf8)
    let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
    }
    return DERElement.sequence(DERElement.sequence(algorithm) + DERElement.make(0x03, [0x00, 0x04] + bytes))
  }

  /// RFC 8410 section 4.
  private static func edwards(_ kind: UInt8, bytes: Int, last: [UInt8] = []) -> [UInt8] {
    DERElement.sequence(
      DERElement.sequence([0x06, 0x03, 0x2B, 0x65, kind])
        + DERElement.make(0x03, [0] + [UInt8](repeating: 0x01, count: bytes) + last))
  }

  /// RFC 9881 section 4.
  private static func mlDSA(_ parameters: MLDSA) -> [UInt8] {
    let key = [UInt8](repeating: 0x01, count: parameters.publicKeyBytes)
    return DERElement.sequence(parameters.algorithmIdentifier + DERElement.make(0x03, [0] + key))
  }

  private static let p256 =
    "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
    + "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
  private static let p384 =
    "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7"
    + "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f"
  private static let p521 =
    "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de"
    + "3348b3c1856a429bf97e7e31c2e5bd66011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c"
    + "97ee72995ef42640c550b9013fad0761353c7086a272c24088be94769fd16650"
}

/// One element in DER (X.690 section 8.1).
enum DERElement {
  static func make(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    switch contents.count {
    case ..<0x80: [tag, UInt8(contents.count)] + contents
    case ..<0x100: [tag, 0x81, UInt8(contents.count)] + contents
    default: [tag, 0x82, UInt8(contents.count >> 8 & 0xFF), UInt8(contents.count & 0xFF)] + contents
    }
  }

  static func sequence(_ contents: [UInt8]) -> [UInt8] { make(0x30, contents) }
}

extension MLDSA {
  /// The algorithm of keys and of signatures (RFC 9881 section 2).
  var algorithmIdentifier: [UInt8] {
    DERElement.sequence(DERElement.make(0x06, [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, arc]))
  }
}
