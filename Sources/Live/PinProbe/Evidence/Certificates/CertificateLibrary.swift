import OpenSSLKit
import PinFormat
import PinValidator

/// The certificates of some evidence: bytes that were checked with their fingerprints first.
struct CertificateLibrary {
  private let bytes: [SHA256Digest: [UInt8]]
  private let cache: CertificateCache

  /// Hashes all certificates.
  init(_ certificates: [Manifest.Certificate], cache: CertificateCache) throws(JudgeError) {
    var bytes: [SHA256Digest: [UInt8]] = [:]
    for certificate in certificates {
      let actual: SHA256Digest
      do { actual = SHA256Digest(try SHA256.digest(of: certificate.der)) } catch { throw .cryptography(error.message) }
      guard actual == certificate.fingerprint else {
        throw .wrongFingerprint(stated: certificate.fingerprint, actual: actual)
      }
      bytes[actual] = certificate.der
    }
    self.bytes = bytes
    self.cache = cache
  }

  /// The bytes under a fingerprint; `place` is the clause that an error says it by.
  func der(_ fingerprint: SHA256Digest, namedBy place: @autoclosure () -> String) throws(JudgeError) -> [UInt8] {
    guard let der = bytes[fingerprint] else { throw .missingCertificate(fingerprint, place()) }
    return der
  }

  /// A certificate; nil where the bytes aren't a certificate.
  func certificate(_ fingerprint: SHA256Digest) -> Certificate? {
    bytes[fingerprint].flatMap { try? cache.certificate(fingerprint, der: $0) }
  }
}
