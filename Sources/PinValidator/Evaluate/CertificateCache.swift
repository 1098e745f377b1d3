package import OpenSSLKit
package import PinFormat

/// Parsed certificates that come again with every handshake: authorities of validated chains, and what `trust` names.
///
/// What a peer merely sends is not kept, so that nobody can fill it from outside. Tools that judge recorded chains have
/// that kept as well, since each is looked at several times.
package final class CertificateCache: Sendable {
  private let certificates = Guarded<[SHA256Digest: Certificate]>([:])
  private let capacity = 512
  private let keepsServed: Bool

  /// Makes an empty one.
  ///
  /// - Parameter keepsServed: Whether what a peer sent is kept as well.
  package init(keepsServed: Bool = false) {
    self.keepsServed = keepsServed
  }

  /// A certificate by its bytes, parsed now where it isn't kept.
  package func certificate(der: [UInt8]) throws(CryptoError) -> Certificate {
    try certificate(SHA256Digest(try SHA256.digest(of: der)), der: der)
  }

  /// The same where somebody has made sure of the fingerprint.
  package func certificate(_ fingerprint: SHA256Digest, der: [UInt8]) throws(CryptoError) -> Certificate {
    if let kept = kept(fingerprint) { return kept }
    let certificate = try Certificate(der: der)
    if keepsServed { keep(CollectionOfOne(certificate)) }
    return certificate
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
