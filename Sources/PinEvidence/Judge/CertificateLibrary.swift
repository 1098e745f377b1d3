import OpenSSLKit
import PinFormat

/// The certificates of some evidence: bytes that were held against their fingerprints before anything else.
struct CertificateLibrary {
  private let bytes: [SHA256Digest: [UInt8]]
  private var parsed: [SHA256Digest: Certificate?] = [:]

  /// Hashes all certificates.
  init(_ certificates: [Manifest.Certificate]) throws(JudgeError) {
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
  }

  /// The bytes under a fingerprint; `place` is the clause that an error says it by.
  func der(_ fingerprint: SHA256Digest, namedBy place: @autoclosure () -> String) throws(JudgeError) -> [UInt8] {
    guard let der = bytes[fingerprint] else { throw .missingCertificate(fingerprint, place()) }
    return der
  }

  /// A certificate, parsed once; nil where the bytes are none.
  mutating func certificate(_ fingerprint: SHA256Digest) -> Certificate? {
    if let known = parsed[fingerprint] { return known }
    let certificate = bytes[fingerprint].flatMap { try? Certificate(der: $0) }
    parsed[fingerprint] = .some(certificate)
    return certificate
  }

  /// Lets a parsed certificate go; its bytes stay.
  mutating func release(_ fingerprint: SHA256Digest?) {
    guard let fingerprint else { return }
    parsed[fingerprint] = nil
  }
}
