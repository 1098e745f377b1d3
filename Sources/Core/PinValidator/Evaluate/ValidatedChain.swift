import OpenSSLKit
public import PinFormat

/// What trust evaluation built: certificates from the leaf to the anchor.
///
/// Only this is matched against pins, and only ``TrustEvaluator`` makes one.
public struct ValidatedChain: Sendable {
  private let path: [Certificate]
  private let peer: TrustRequest.Peer
  private let trust: Manifest.Trust?

  /// When the first of the exceptions ends that excused something about it; nil where none did.
  private let excusedUntil: Instant?

  /// When a date might next change the answer that it is valid, or which path was taken; nil where that isn't known.
  let nextChange: Instant?

  init(_ path: [Certificate], for request: TrustRequest, excused: [ExcusedFailure], nextChange: Instant?) {
    self.path = path
    self.nextChange = nextChange
    peer = request.peer
    trust = request.trust
    excusedUntil = excused.map { $0.exception.until }.min()
  }

  /// Whether it was validated for this host, and under these customisations, of whose exceptions none that was needed has
  /// ended.
  ///
  /// A name is compared as it was written: another spelling of it costs an evaluation, never a wrong answer. Clients have
  /// none.
  func wasValidated(for host: String, under trust: Manifest.Trust?, at instant: Instant) -> Bool {
    guard trust == self.trust else { return false }
    if let excusedUntil, instant >= excusedUntil { return false }
    return switch peer {
    case .server(let name): name.utf8.elementsEqual(host.utf8)
    case .client: true
    }
  }

  /// The certificates in DER, leaf to anchor; a single one counts as leaf and as root.
  public var certificates: [[UInt8]] { path.map { $0.der } }

  /// The bytes of all certificates.
  var byteCount: Int { path.reduce(0) { $0 + $1.der.count } }

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
    // Borrowed from the array, to avoid changing the reference count.
    guard let digest = try? path.span[number].publicKeyDigest() else { return nil }
    return SHA256Digest(digest)
  }
}
