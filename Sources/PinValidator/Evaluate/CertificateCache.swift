import OpenSSLKit
import PinFormat

/// Parsed certificates that come again with every handshake: authorities of validated chains, and what `trust` names.
///
/// What a peer merely sends is not kept, so that nobody can fill it from outside.
final class CertificateCache: Sendable {
  private let certificates = Guarded<[SHA256Digest: Certificate]>([:])
  private let capacity = 512

  /// A certificate by its bytes, parsed now where it isn't kept.
  func certificate(der: [UInt8]) throws(CryptoError) -> Certificate {
    let fingerprint = SHA256Digest(try SHA256.digest(of: der))
    if let kept = kept(fingerprint) { return kept }
    return try Certificate(der: der)
  }

  /// A certificate that is kept.
  func kept(_ fingerprint: SHA256Digest) -> Certificate? {
    certificates.withLock { $0[fingerprint] } ?? nil
  }

  /// Keeps certificates that somebody vouches for.
  func keep(_ new: some Sequence<Certificate>) {
    _ = certificates.withLock { certificates in
      for certificate in new {
        if certificates.count >= capacity { certificates.removeAll(keepingCapacity: true) }
        certificates[SHA256Digest(certificate.fingerprint)] = certificate
      }
    }
  }
}
