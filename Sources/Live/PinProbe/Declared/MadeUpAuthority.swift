import OpenSSLKit

/// The certificate of an authority of which only the key's kind is known, or the certificate that it issued.
///
/// It isn't signed, as ``MadeUpLeaf``.
struct MadeUpAuthority {
  let der: [UInt8]

  /// An authority whose own issuer isn't known, so that it has to be an anchor; the number tells it from others.
  init(number: UInt8, key: [UInt8]) {
    self.init(subject: Self.name(number), identifier: Self.identifier(number), key: key, issuer: nil)
  }

  /// An authority below another one.
  init(number: UInt8, key: [UInt8], by issuer: Certificate) {
    self.init(subject: Self.name(number), identifier: Self.identifier(number), key: key, issuer: issuer)
  }

  /// The authority that issued a certificate, as far as this one describes it.
  ///
  /// - Parameters:
  ///   - certificate: The certificate.
  ///   - key: The kind of the authority's key; nil where only the certificate's signature says it.
  ///   - issuer: The authority above it; nil where it has to be an anchor.
  init(issuerOf certificate: Certificate, key: KeyAlgorithm? = nil, by issuer: Certificate? = nil) {
    self.init(
      subject: Array(certificate.der[certificate.layout.issuer]),
      identifier: certificate.authorityKeyIdentifier ?? Self.identifier(0xFF),
      key: key.map { StandInKey.subjectPublicKeyInfo(like: $0) }
        ?? StandInKey.subjectPublicKeyInfo(signing: certificate), issuer: issuer)
  }

  private init(subject: [UInt8], identifier: [UInt8], key: [UInt8], issuer: Certificate?) {
    let signer = issuer?.keyAlgorithm ?? (try? PublicKey(subjectPublicKeyInfo: key))?.algorithm
    let algorithm = MadeUpLeaf.signatureAlgorithm(of: signer)
    let authorityIdentifier = issuer == nil ? identifier : issuer?.subjectKeyIdentifier ?? Self.identifier(0xFE)
    let extensions = [
      // basicConstraints: critical, cA.
      DERElement.sequence([0x06, 0x03, 0x55, 0x1D, 0x13, 0x01, 0x01, 0xFF, 0x04, 0x05, 0x30, 0x03, 0x01, 0x01, 0xFF]),
      // keyUsage: critical, keyCertSign and cRLSign.
      DERElement.sequence([0x06, 0x03, 0x55, 0x1D, 0x0F, 0x01, 0x01, 0xFF, 0x04, 0x04, 0x03, 0x02, 0x01, 0x06]),
      DERElement.sequence(
        [0x06, 0x03, 0x55, 0x1D, 0x0E] + DERElement.make(0x04, DERElement.make(0x04, identifier))),
      DERElement.sequence(
        [0x06, 0x03, 0x55, 0x1D, 0x23]
          + DERElement.make(0x04, DERElement.sequence(DERElement.make(0x80, authorityIdentifier)))),
    ].flatMap { $0 }
    let signed = DERElement.sequence(
      [0xA0, 0x03, 0x02, 0x01, 0x02, 0x02, 0x01, 0x01] + algorithm
        + (issuer.map { Array($0.der[$0.layout.subject]) } ?? subject) + MadeUpLeaf.validity + subject + key
        + DERElement.make(0xA3, DERElement.sequence(extensions)))
    der = DERElement.sequence(signed + algorithm + [0x03, 0x02, 0x00, 0x00])
  }

  /// `CN=Made-up authority 1`, with a letter in place of the number.
  private static func name(_ number: UInt8) -> [UInt8] {
    let text = Array("Made-up authority ".utf8) + [UInt8(ascii: "A") + number % 26]
    return DERElement.sequence(
      DERElement.make(
        0x31, DERElement.sequence([0x06, 0x03, 0x55, 0x04, 0x03] + DERElement.make(0x0C, text))))
  }

  private static func identifier(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 20) }
}
