#if !CryptoKit
/// What a file holds that names a public key: certificates, a request or a bare key; in PEM or DER.
package enum KeyFile: Sendable {
  /// One certificate or more, in the order of the file, and the trust settings of each.
  case certificates([Certificate], trust: [CertificateBlock.ServerTrust])
  case request(CertificateRequest)
  /// SubjectPublicKeyInfo and what kind of key it is.
  case publicKey(subjectPublicKeyInfo: [UInt8], algorithm: KeyAlgorithm)

  /// Reads a file's bytes.
  ///
  /// - Throws: ``CryptoError`` of code `privateKey` where a private key is among them, whatever else is there, and of code
  ///   `unusualKeyForm` for a key that clients reject.
  package init(_ bytes: [UInt8]) throws(CryptoError) {
    self = try PEMBlock.looksLikePEM(bytes) ? Self.read(pem: bytes) : Self.read(der: bytes)
    try checkForm()
  }

  private func checkForm() throws(CryptoError) {
    switch self {
    case .certificates(let certificates, _):
      for certificate in certificates { try UnusualKeyForm.check(certificate.subjectPublicKeyInfo) }
    case .request(let request): try UnusualKeyForm.check(request.subjectPublicKeyInfo)
    case .publicKey(let key, _): try UnusualKeyForm.check(key)
    }
  }

  private static func read(pem: [UInt8]) throws(CryptoError) -> KeyFile {
    let blocks = try PEMBlock.read(pem)
    guard !blocks.contains(where: { $0.isPrivateKey }) else { throw holdsPrivateKey }
    var certificates: [CertificateBlock] = []
    var others: [PEMBlock] = []
    for block in blocks {
      if let certificate = try CertificateBlock(block) {
        certificates.append(certificate)
      } else if block.isLabelled("PUBLIC KEY", "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST") {
        others.append(block)
      } else {
        throw block.misplaced("a certificate, certificate request or public key")
      }
    }
    guard let other = others.first else {
      guard !certificates.isEmpty else {
        throw CryptoError(.nothingFound, "no certificate, certificate request or public key in the PEM text")
      }
      return .certificates(
        try certificates.map { (block) throws(CryptoError) in try Certificate(der: block.der) },
        trust: certificates.map(\.trust))
    }
    guard certificates.isEmpty else {
      let what = other.label == "PUBLIC KEY" ? "a public key" : "a certificate request"
      let key = try subjectPublicKeyInfo(of: other)
      var isSame = false
      for block in certificates where try Certificate(der: block.der).subjectPublicKeyInfo == key { isSame = true }
      throw CryptoError(
        .malformed,
        "the file has a certificate and \(what)"
          + (isSame ? " with the same key; remove one of them" : " with another key; put each into its own file"))
    }
    guard others.count == 1 else {
      throw CryptoError(
        .malformed, "the file has \(others.count) public keys or certificate requests; put each into its own file")
    }
    return other.label == "PUBLIC KEY"
      ? try publicKey(other.bytes) : .request(try CertificateRequest(der: other.bytes))
  }

  private static func subjectPublicKeyInfo(of block: PEMBlock) throws(CryptoError) -> [UInt8] {
    block.label == "PUBLIC KEY" ? block.bytes : try CertificateRequest(der: block.bytes).subjectPublicKeyInfo
  }

  private static func read(der: [UInt8]) throws(CryptoError) -> KeyFile {
    if let certificate = try? Certificate(der: der) { return .certificates([certificate], trust: [.unsaid]) }
    if let request = try? CertificateRequest(der: der) { return .request(request) }
    if let key = try? publicKey(der) { return key }
    guard !PrivateKey.isPrivateKey(der: der) else { throw holdsPrivateKey }
    throw CryptoError(.nothingFound, "neither PEM nor a DER certificate, certificate request or public key")
  }

  private static func publicKey(_ der: [UInt8]) throws(CryptoError) -> KeyFile {
    do throws(CryptoError) {
      return .publicKey(subjectPublicKeyInfo: der, algorithm: try PublicKey(subjectPublicKeyInfo: der).algorithm)
    } catch {
      // Other libcryptos may read it, and a pin needs no more than its bytes.
      guard error.code == .unsupported, UnusualKeyForm(of: der) != .notDER,
        let algorithm = KeyAlgorithm(of: nil, der, der.indices)
      else { throw error }
      return .publicKey(subjectPublicKeyInfo: der, algorithm: algorithm)
    }
  }

  private static var holdsPrivateKey: CryptoError { CryptoError(.privateKey, "the file holds a private key") }
}
#endif
