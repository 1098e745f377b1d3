import OpenSSLKit
public import PinFormat

/// What trust evaluation built: certificates from the leaf to the anchor.
///
/// Only this is matched against pins, and only ``TrustEvaluator`` makes one.
public struct ValidatedChain: Sendable {
  private let path: [Certificate]

  init(_ path: [Certificate]) {
    self.path = path
  }

  /// The certificates in DER, leaf to anchor; a single one counts as leaf and as root.
  public var certificates: [[UInt8]] { path.map { $0.der } }

  /// The number of certificates, at least one.
  public var count: Int { path.count }

  /// SHA-256 over each certificate's DER bytes, leaf to anchor.
  public var fingerprints: [SHA256Digest] { path.map { SHA256Digest($0.fingerprint) } }

  /// The pin of each certificate, leaf to anchor.
  public var pins: [Pin] { path.indices.compactMap { publicKeyDigest(ofCertificate: $0) }.map { Pin($0) } }
}

extension ValidatedChain: PinnedChain {
  package var certificateCount: Int { path.count }

  package func publicKeyDigest(ofCertificate number: Int) -> SHA256Digest? {
    guard let digest = try? path[number].publicKeyDigest() else { return nil }
    return SHA256Digest(digest)
  }
}
