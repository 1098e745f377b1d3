import OpenSSLKit
package import PinFormat

/// A validated chain as the decision sees it: the pins of its certificates, from the leaf to the anchor.
package protocol PinnedChain {
  /// The number of certificates.
  var certificateCount: Int { get }

  /// SHA-256 over the SPKI bytes of a certificate; nil where it can't be found or hashed.
  func publicKeyDigest(ofCertificate number: Int) -> SHA256Digest?
}

/// Certificates in DER, leaf to anchor, whose path somebody has validated.
package struct DERChain: PinnedChain, Sendable {
  private let certificates: [[UInt8]]

  /// Takes certificates that trust evaluation has put in order.
  package init(_ certificates: [[UInt8]]) {
    self.certificates = certificates
  }

  package var certificateCount: Int { certificates.count }

  package func publicKeyDigest(ofCertificate number: Int) -> SHA256Digest? {
    certificates[number].withUnsafeBytes { der in
      guard let layout = CertificateLayout.walk(der) else { return nil }
      let key = UnsafeRawBufferPointer(rebasing: der[layout.subjectPublicKeyInfo])
      guard let digest = try? SHA256.digest(of: key) else { return nil }
      return SHA256Digest(digest)
    }
  }
}
