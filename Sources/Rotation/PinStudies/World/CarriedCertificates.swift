import PinFormat
import PinProbe
import PinRelease
import PinRotation
import PinRules
import PinValidator

extension Manifest.Exception {
  /// When trust evaluation fails without the exception; nil if its certificate is valid by then.
  func trustEnd(_ notBefore: Instant?) -> TrustEnd? {
    if failure == .notYetValid, let notBefore, notBefore <= until { return nil }
    return TrustEnd(until, .exception)
  }
}

/// The certificates that an entry's `trust` has in a release: no renewal replaces them for the clients of that release.
struct CarriedCertificates {
  enum Role: String {
    case anchor
    case intermediate
    case certificate

    /// Trust evaluation fails from then on.
    func end(of name: String, at instant: Instant) -> TrustEnd {
      TrustEnd(instant, .certificate("the \(rawValue) '\(name)' that the release carries expires on \(instant)"))
    }
  }

  private let trust: Manifest.Trust?
  private let certificates: [SHA256Digest: CertificateRecord]
  private let horizon: Instant

  init(_ manifest: LoadedManifest, _ target: AssessedTarget, _ assessment: Assessment, _ plan: RotationReleases) {
    trust = manifest.trust(at: target.place)
    certificates = assessment.certificates
    horizon = plan.horizon
  }

  /// When the first of those ends that a path needs.
  ///
  /// - Parameters:
  ///   - path: A path that an observed server led to.
  ///   - served: The certificates that the server sent.
  /// - Returns: Nil where none ends before the horizon.
  func end(of path: PathJudgement, served: [SHA256Digest]) -> TrustEnd? {
    guard let trust, let top = path.chain.last else { return nil }
    if let token = trust.certificate { return end(of: [token], .certificate) }
    let pin = certificates[top]?.pin
    let anchors = trust.anchors.filter { $0 == top || pin != nil && certificates[$0]?.pin == pin }
    // The system's anchors may have the same key for longer.
    var ends = trust.systemAnchors ? [] : [end(of: anchors, .anchor)]
    for fingerprint in path.chain.dropFirst().dropLast()
    where trust.intermediates.contains(fingerprint) && !served.contains(fingerprint) {
      ends.append(end(of: [fingerprint], .intermediate))
    }
    return ends.compactMap(\.self).min { $0.instant < $1.instant }
  }

  /// The end of the one that lasts longest.
  private func end(of fingerprints: [SHA256Digest], _ role: Role) -> TrustEnd? {
    let known = fingerprints.compactMap { certificates[$0] }
    guard let last = known.max(by: { $0.notAfter ?? .earliest < $1.notAfter ?? .earliest }),
      let end = last.notAfter, end < horizon
    else { return nil }
    return role.end(of: last.commonName ?? last.subject, at: end)
  }
}
