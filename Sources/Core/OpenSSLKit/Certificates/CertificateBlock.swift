/// A certificate of a PEM text: the one list of labels for keys, chains, anchors and trust stores.
package struct CertificateBlock: Sendable {
  /// What `openssl x509 -trustout` wrote behind a certificate (openssl's `X509_CERT_AUX`) says of TLS servers.
  ///
  /// It is about anchors, and says nothing of a certificate in a chain, nor of its key.
  package enum ServerTrust: Hashable, Sendable {
    case unsaid
    case trusted
    /// It rejects the certificate for TLS servers, or trusts it for other things only.
    case rejected
  }

  /// The certificate alone.
  package let der: [UInt8]
  package let trust: ServerTrust

  /// Reads all certificates of a text, in its order.
  ///
  /// - Throws: ``CryptoError``, of code `privateKey` for a private key and of code `malformed` for any other block.
  package static func read(_ pem: [UInt8]) throws(CryptoError) -> [CertificateBlock] {
    var certificates: [CertificateBlock] = []
    for block in try PEMBlock.read(pem) {
      guard let certificate = try CertificateBlock(block) else { throw block.misplaced("a certificate") }
      certificates.append(certificate)
    }
    return certificates
  }

  /// Takes a block that is read already; nil if it is none of a certificate.
  init?(_ block: PEMBlock) throws(CryptoError) {
    if block.isLabelled("CERTIFICATE", "X509 CERTIFICATE") {
      (der, trust) = (block.bytes, .unsaid)
      return
    }
    guard block.isLabelled("TRUSTED CERTIFICATE") else { return nil }
    let found = block.bytes.withUnsafeBytes { bytes -> (Range<Int>, ServerTrust)? in
      var reader = DERReader(bytes, 0..<bytes.count)
      guard let certificate = reader.skip(.sequence), let trust = Self.trust(&reader, bytes) else { return nil }
      return (certificate, trust)
    }
    guard let (certificate, trust) = found else {
      throw CryptoError(.malformed, "the trust settings of a certificate can't be read")
    }
    (der, self.trust) = (Array(block.bytes[certificate]), trust)
  }

  /// Reads trust settings as libcrypto does; nil if they can't be read.
  private static func trust(_ reader: inout DERReader, _ bytes: UnsafeRawBufferPointer) -> ServerTrust? {
    if reader.isAtEnd { return .unsaid }
    guard var settings = reader.enter(.sequence), reader.isAtEnd else { return nil }
    var trust = ServerTrust.unsaid
    if var purposes = settings.enter(.sequence) {
      guard let includesServers = includesServers(&purposes, bytes) else { return nil }
      trust = includesServers ? .trusted : .rejected
    }
    if var purposes = settings.enter(.context0) {
      guard let includesServers = includesServers(&purposes, bytes) else { return nil }
      if includesServers { trust = .rejected }
    }
    return trust
  }

  /// Whether serverAuth or anyExtendedKeyUsage (RFC 5280 section 4.2.1.12) is in a list of purposes.
  private static func includesServers(_ purposes: inout DERReader, _ bytes: UnsafeRawBufferPointer) -> Bool? {
    let serverAuth: [UInt8] = [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01]
    let anyPurpose: [UInt8] = [0x55, 0x1D, 0x25, 0x00]
    var includes = false
    while !purposes.isAtEnd {
      guard let purpose = purposes.contents(.objectIdentifier) else { return nil }
      if bytes[purpose].elementsEqual(serverAuth) || bytes[purpose].elementsEqual(anyPurpose) { includes = true }
    }
    return includes
  }
}

extension PEMBlock {
  /// True for a private key of any kind, protected or not.
  package var isPrivateKey: Bool {
    let label = Array(label.utf8)
    return label.count >= 11 && PEMScan.has("PRIVATE KEY", label, at: label.count - 11)
  }

  /// What to say of a block in the place of something else.
  func misplaced(_ needed: StaticString) -> CryptoError {
    if isPrivateKey { return CryptoError(.privateKey, "the file holds a private key") }
    return CryptoError(
      .malformed, "the PEM text holds '" + label + "' where " + needed.description + " belongs")
  }
}
