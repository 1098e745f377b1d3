import OpenSSLKit
import PinFormat

extension KeyMaterial {
  /// The facts of one certificate.
  init(path: String, certificate: OpenSSLKit.Certificate) throws(KeyFileProblem) {
    guard let notBefore = certificate.notBefore, let notAfter = certificate.notAfter else {
      throw .bad("the certificate's dates can't be read")
    }
    guard let algorithm = certificate.keyAlgorithm else { throw .bad("the certificate's public key can't be read") }
    let names = certificate.alternativeNames
    let baselineRequirements: Int64 = 1_341_100_800
    let mayBePublicRoot =
      notBefore < baselineRequirements || certificate.hasFormOfPublicRoot && certificate.organization != nil
    self.init(
      path: path, kind: .certificate, pin: Pin(try digest(certificate.subjectPublicKeyInfo)),
      algorithm: algorithm, subject: certificate.subject, commonName: certificate.commonName,
      organization: certificate.organization,
      certificate: Certificate(
        fingerprint: SHA256Digest(certificate.fingerprint), issuer: certificate.issuer,
        notBefore: Instant(secondsSinceEpoch: notBefore), notAfter: Instant(secondsSinceEpoch: notAfter),
        isCA: certificate.isCA, isSelfIssued: certificate.isSelfIssued,
        subjectKeyIdentifier: certificate.subjectKeyIdentifier,
        authorityKeyIdentifier: certificate.authorityKeyIdentifier,
        alternativeNames: names.texts, signature: certificate.signature))
    self.certificate?.mayBePublicRoot = mayBePublicRoot
  }

  /// The facts of a certificate request, whose self-signature was checked.
  init(path: String, request: CertificateRequest) throws(KeyFileProblem) {
    self.init(
      path: path, kind: .request, pin: Pin(try digest(request.subjectPublicKeyInfo)),
      algorithm: request.keyAlgorithm, subject: request.subject, commonName: request.commonName,
      organization: request.organization, certificate: nil)
  }

  /// The facts of a bare public key.
  init(path: String, subjectPublicKeyInfo: [UInt8], algorithm: KeyAlgorithm) throws(KeyFileProblem) {
    self.init(
      path: path, kind: .publicKey, pin: Pin(try digest(subjectPublicKeyInfo)), algorithm: algorithm,
      subject: nil, commonName: nil, organization: nil, certificate: nil)
  }
}

private func digest(_ bytes: [UInt8]) throws(KeyFileProblem) -> SHA256Digest {
  do { return SHA256Digest(try SHA256.digest(of: bytes)) } catch { throw .bad(error.message) }
}
