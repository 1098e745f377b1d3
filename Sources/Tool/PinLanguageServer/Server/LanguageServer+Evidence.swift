import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinRules
import PinValidator

/// What a record of live servers says of a policy, judged when a file was last opened or saved.
struct JudgedEvidence {
  var assessment: Assessment
  var sightings: Sightings
}

extension LanguageServer {
  /// Where keys of a policy were seen; nil without evidence that can be used.
  func sightings(of root: String) -> Sightings? { judged(root)?.sightings }

  /// What the rules about live servers are given; nil where nobody named evidence.
  ///
  /// A record beside the policy that nobody named is shown on request, but causes no findings.
  func live(of root: String) -> LiveInput? {
    guard settings.evidence != nil || options.evidence != nil else { return nil }
    return judged(root).map { LiveInput(assessment: $0.assessment) }
  }

  private func judged(_ root: String) -> JudgedEvidence? {
    if let known = evidence[root] { return known }
    let made = judge(root)
    // A policy with errors can't be judged, so nothing is cached until they are fixed.
    if let made { evidence[root] = made }
    return made
  }

  private func judge(_ root: String) -> JudgedEvidence? {
    guard let path = evidencePath(root), let record = Self.read(path),
      let policy = (try? projects[root]?.read(under: texts(under: root)))?.policy
    else { return nil }
    let now = settings.clock()
    guard let checked = CheckedPolicy.check(CheckInput(policy: policy, at: now)).checked,
      let manifest = try? checked.rehearsed(at: now),
      let assessment = try? Judge(manifest: manifest, stores: [], limits: ClientLimits(policy.verifiers))
        .assess(record, at: now)
    else { return nil }
    return JudgedEvidence(assessment: assessment, sightings: Sightings(assessment))
  }

  /// The record that was named, or `evidence.json` beside the policy directory.
  private func evidencePath(_ root: String) -> String? {
    if let given = settings.evidence { return given }
    if let given = options.evidence { return given.first == "/" ? given : folders.first.map { $0 + "/" + given } }
    let parts = root.split(separator: "/").dropLast()
    return "/" + parts.joined(separator: "/") + "/evidence.json"
  }

  /// Reads evidence whose certificates are those whose digests they are under; anything else is of no use.
  private static func read(_ path: String) -> Evidence? {
    guard let bytes = try? WholeFile.read(path, limit: EvidenceLimits.fileBytes, onlyRegular: true),
      let evidence = try? Evidence(reading: bytes)
    else { return nil }
    for certificate in evidence.certificates {
      guard let digest = try? SHA256.digest(of: certificate.der), SHA256Digest(digest) == certificate.fingerprint else {
        return nil
      }
    }
    return evidence
  }
}
