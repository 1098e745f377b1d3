package import PinFormat

/// Why evidence can't be judged.
package enum JudgeError: Error, Hashable, Sendable {
  /// What is under a fingerprint are other bytes.
  case wrongFingerprint(stated: SHA256Digest, actual: SHA256Digest)
  /// Evidence names a certificate that it doesn't hold; the clause says where.
  case missingCertificate(SHA256Digest, String)
  /// An anchor of a recorded trust store isn't a certificate.
  case unreadableAnchor(SHA256Digest, store: String)
  /// The evidence records no trust store, and none was given.
  case noTrustStore
  /// libcrypto could not do its work; the clause says what.
  case cryptography(String)

  /// What is wrong and what to do.
  package var message: String {
    switch self {
    case .wrongFingerprint(let stated, let actual):
      "the certificate under \(stated.hex) has the fingerprint \(actual.hex): the evidence was changed; record it again"
    case .missingCertificate(let fingerprint, let place):
      "\(place) names the certificate \(fingerprint.hex), which the evidence doesn't hold; record it again"
    case .unreadableAnchor(let fingerprint, let store):
      "the anchor \(fingerprint.hex) of the trust store \(store) isn't a certificate; record the evidence again"
    case .noTrustStore:
      "the evidence records no trust store; name one with --trust-store NAME=PATH"
    case .cryptography(let clause): clause
    }
  }
}
