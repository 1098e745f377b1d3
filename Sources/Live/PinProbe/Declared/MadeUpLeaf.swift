import OpenSSLKit

/// A server's certificate that an authority might issue, for finding out whether clients would accept it.
///
/// It isn't signed: ignore failures about its own signature and key.
struct MadeUpLeaf {
  let der: [UInt8]

  /// Makes one.
  ///
  /// - Parameters:
  ///   - name: The name in its Subject Alternative Name.
  ///   - issuer: The authority that it names as its issuer.
  ///   - prefersPSS: Whether an RSA authority is to use RSASSA-PSS.
  ///   - key: The kind of its key; nil for any that clients accept.
  init(for name: PathQuery.Name, by issuer: Certificate, prefersPSS: Bool, key: KeyAlgorithm? = nil) {
    let algorithm = Self.signatureAlgorithm(of: issuer.keyAlgorithm, prefersPSS: prefersPSS)
    // Without a key identifier, the issuer is found by its name.
    let identifier = issuer.subjectKeyIdentifier ?? [UInt8](repeating: 0, count: 20)
    let extensions = [
      DERElement.sequence([0x06, 0x03, 0x55, 0x1D, 0x0F, 0x01, 0x01, 0xFF, 0x04, 0x04, 0x03, 0x02, 0x07, 0x80]),
      DERElement.sequence(
        [0x06, 0x03, 0x55, 0x1D, 0x25, 0x04, 0x0C, 0x30, 0x0A, 0x06, 0x08, 0x2B, 6, 1, 5, 5, 7, 3, 1]),
      // Critical, because the subject is empty (RFC 5280 section 4.2.1.6).
      DERElement.sequence(
        [0x06, 0x03, 0x55, 0x1D, 0x11, 0x01, 0x01, 0xFF]
          + DERElement.make(0x04, DERElement.sequence(Self.alternativeName(name)))),
      DERElement.sequence(
        [0x06, 0x03, 0x55, 0x1D, 0x23] + DERElement.make(0x04, DERElement.sequence(DERElement.make(0x80, identifier)))),
    ].flatMap { $0 }
    let signed = DERElement.sequence(
      [0xA0, 0x03, 0x02, 0x01, 0x02, 0x02, 0x01, 0x01] + algorithm + issuer.der[issuer.layout.subject]
        + Self.validity + DERElement.sequence([]) + StandInKey.subjectPublicKeyInfo(like: key)
        + DERElement.make(0xA3, DERElement.sequence(extensions)))
    der = DERElement.sequence(signed + algorithm + [0x03, 0x02, 0x00, 0x00])
  }

  /// Always.
  static let validity = DERElement.sequence(
    DERElement.make(0x17, Array("700101000000Z".utf8)) + DERElement.make(0x18, Array("99991231235959Z".utf8)))

  /// libcrypto doesn't accept an issuer whose key can't make the signature.
  static func signatureAlgorithm(of issuerKey: KeyAlgorithm?, prefersPSS: Bool = false) -> [UInt8] {
    let pkcs1: [UInt8] = [0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 11, 0x05, 0x00]
    // RSASSA-PSS with SHA-256 and a salt of 32 bytes.
    let pss: [UInt8] =
      [0x30, 0x41, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 10, 0x30, 0x34]
      + [0xA0, 0x0F, 0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1, 0x05, 0x00]
      + [0xA1, 0x1C, 0x30, 0x1A, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 8]
      + [0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1, 0x05, 0x00, 0xA2, 0x03, 0x02, 0x01, 0x20]
    switch issuerKey {
    case .rsa: return prefersPSS ? pss : pkcs1
    case .rsaPSS: return pss
    case .ed25519: return [0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70]
    case .ed448: return [0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x71]
    case .mlDSA(let parameters): return parameters.algorithmIdentifier
    case .ec, .other, nil: return [0x30, 0x0A, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2]
    }
  }

  private static func alternativeName(_ name: PathQuery.Name) -> [UInt8] {
    switch name {
    case .dns(let text): DERElement.make(0x82, Array(text.utf8))
    case .address(let text): DERElement.make(0x87, address(text))
    }
  }

  /// The bytes of an address in canonical text.
  private static func address(_ text: String) -> [UInt8] {
    guard text.utf8.contains(UInt8(ascii: ":")) else { return text.split(separator: ".").compactMap { UInt8($0) } }
    func groups(_ part: Substring) -> [UInt8] {
      part.split(separator: ":").compactMap { UInt16($0, radix: 16) }.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
    guard let gap = text.firstRange(of: "::") else { return groups(text[...]) }
    let (start, end) = (groups(text[..<gap.lowerBound]), groups(text[gap.upperBound...]))
    return start + [UInt8](repeating: 0, count: max(0, 16 - start.count - end.count)) + end
  }
}
