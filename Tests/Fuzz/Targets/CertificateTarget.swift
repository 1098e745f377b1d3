import OpenSSLKit
import PinFormat

/// The DER walk to the key of a certificate, beside libcrypto's own reading.
enum CertificateTarget {
  static func run(_ bytes: [UInt8]) {
    let layout = CertificateLayout(bytes)
    if let layout {
      for range in [layout.issuer, layout.subject, layout.subjectPublicKeyInfo] {
        promise(range.lowerBound >= 0 && range.upperBound <= bytes.count, "parts stand inside the certificate")
      }
      promise(
        layout.issuer.upperBound <= layout.subject.lowerBound
          && layout.subject.upperBound <= layout.subjectPublicKeyInfo.lowerBound, "parts stand in their order")
    }
    guard let certificate = try? Certificate(der: bytes) else { return }
    promise(certificate.der == bytes, "a certificate keeps its bytes")
    promise(layout != nil, "what is taken for a certificate has a key that can be found")
    if let layout {
      let digest = (try? certificate.publicKeyDigest()).map { SHA256Digest($0) }
      let expected = (try? SHA256.digest(of: bytes, in: layout.subjectPublicKeyInfo)).map { SHA256Digest($0) }
      promise(digest != nil && digest == expected, "a pin is over the certificate's own bytes")
    }
    _ = certificate.keyAlgorithm
    _ = certificate.signature
    _ = certificate.extendedKeyUsage
    _ = certificate.repeatsAnExtension
    _ = certificate.hasSoundExponent
    _ = (certificate.notBefore, certificate.notAfter)
  }
}
