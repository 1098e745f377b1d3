package import OpenSSLKit
import PinFormat

extension CertificateRecord {
  /// What a certificate says.
  package init(_ certificate: Certificate) {
    let names = certificate.alternativeNames
    self.init(
      fingerprint: SHA256Digest(certificate.fingerprint),
      pin: certificate.keyAlgorithm == nil
        ? nil : (try? certificate.publicKeyDigest()).map { Pin(SHA256Digest($0)) },
      subject: certificate.subject,
      issuer: certificate.issuer,
      commonName: certificate.commonName,
      notBefore: certificate.notBefore.map { Instant(secondsSinceEpoch: $0) },
      notAfter: certificate.notAfter.map { Instant(secondsSinceEpoch: $0) },
      algorithm: certificate.keyAlgorithm,
      signature: certificate.signature.title,
      names: names.texts,
      uris: names.uris,
      isCA: certificate.isCA,
      isSelfSigned: certificate.isSelfSigned,
      usages: certificate.extendedKeyUsage,
      issuerURLs: certificate.issuerURLs)
  }
}
