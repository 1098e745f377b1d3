package import OpenSSLKit
package import PinFormat

/// Parsed certificates that come again: those of validated chains, and what `trust` names.
///
/// What a peer merely sends is not kept, so that nobody can fill it from outside. Tools that judge recorded chains have
/// that kept as well, because each is used several times.
package final class CertificateCache: Sendable {
  private struct Kept: Sendable {
    let certificate: Certificate
    /// Whose key made its signature, where that was verified.
    var issuer: SHA256Digest?
  }

  private let certificates = Guarded<[SHA256Digest: Kept]>([:])
  private let capacity = 512
  private let keepsServed: Bool
  /// A leaf may have any number of names; one of more bytes than this is parsed each time.
  ///
  /// Key and signature of ML-DSA-87 have 7,219 bytes.
  static let maximumBytesOfLeaf = 12 << 10

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
    if keepsServed { keep(certificate) }
    return certificate
  }

  /// A certificate that is kept.
  func kept(_ fingerprint: SHA256Digest) -> Certificate? {
    certificates.withLock { $0[fingerprint]?.certificate } ?? nil
  }

  /// Keeps a certificate that somebody vouches for.
  func keep(_ certificate: Certificate) {
    _ = certificates.withLock { keep(certificate, signedBy: nil, in: &$0) }
  }

  /// Keeps the certificates of a valid path, leaf to anchor, and that each was signed by the next.
  package func keep(path: [Certificate]) {
    _ = certificates.withLock { certificates in
      for (place, certificate) in path.enumerated() {
        guard place > 0 || certificate.der.count <= Self.maximumBytesOfLeaf else { continue }
        let issuer = place + 1 < path.count ? SHA256Digest(path[place + 1].fingerprint) : nil
        keep(certificate, signedBy: issuer, in: &certificates)
      }
    }
  }

  private func keep(
    _ certificate: Certificate, signedBy issuer: SHA256Digest?, in certificates: inout [SHA256Digest: Kept]
  ) {
    let fingerprint = SHA256Digest(certificate.fingerprint)
    if certificates[fingerprint] != nil {
      if let issuer { certificates[fingerprint]?.issuer = issuer }
      return
    }
    if certificates.count >= capacity { certificates.removeAll(keepingCapacity: true) }
    certificates[fingerprint] = Kept(certificate: certificate, issuer: issuer)
  }

  /// Whether the issuer's key made the signature on a certificate, as verified in a valid path.
  func knows(_ issuer: Certificate, signed certificate: Certificate) -> Bool {
    let found = certificates.withLock { $0[SHA256Digest(certificate.fingerprint)]?.issuer } ?? nil
    return found == SHA256Digest(issuer.fingerprint)
  }
}
