import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinValidator

extension Rule {
  /// Connections that fail whatever is pinned.
  static let unhealthyServer = Rule(
    code: "P619",
    name: "unhealthy-server",
    severity: .warning,
    title: "Connections fail for a reason other than pins (the server is unhealthy).",
    rationale: """
      A server is unhealthy if clients can't connect to it with or without this release: trust evaluation fails for its
      chain, or the newest manifest is stale and blocks. A new certificate or a new release fixes that in minutes, while
      a wrong pin stays for an adoption window. So the pins were checked as if the chain were valid. This finding
      doesn't make the release unsafe, and it doesn't excuse a wrong pin. Often the evidence is the cause: it is old, or
      was evaluated with the wrong trust store. Without evidence, it is reported only if clients of the newest release
      accept no chain that the server could have, and clients of this policy do; `check` reports everything else.
      """,
    failing: .observed(
      "unknown-root",
      """
      The server's chain ends in the Example Root CA. The trust store 'system' has that root, the trust store 'minimal' \
      does not.
      """),
    passing: .observed("whole-chain", "The server's chain ends in a root that each trust store has."),
    citation: "docs/rotation.md#pins-and-health",
    check: .rotation { _, facts in
      facts.groups(.unhealthy).map { group in
        let (reason, help) = facts.health(group)
        let fail = facts.isAssumed(group) ? "most likely fail (no evidence shows their chains)" : "fail"
        return facts.finding(
          group, "connections to \(facts.servers(group)) \(fail) for a reason other than pins: \(reason)", help: help)
      }
    })
}

extension RotationFacts {
  /// Whether it is only assumed what the servers present.
  fileprivate func isAssumed(_ group: LockoutGroup) -> Bool {
    if case .untrusted = group.cause { group.first.phase.source == .assumed } else { false }
  }

  /// Why connections fail, and what to do about it.
  fileprivate func health(_ group: LockoutGroup) -> (reason: String, help: String) {
    switch group.cause {
    case .untrusted(let reason) where isAssumed(group):
      (reason, recordingHelp)
    case .untrusted(let reason):
      missingAnchor(group)
        ?? (
          reason,
          "Fix the server's certificate"
            + (ownTrust(group) == nil ? ", or pass the trust store that clients have (--trust-store)" : "")
            + ". Then record the evidence again ('pintle probe \(policy.sources.folder) --record FILE'), and run this "
            + "command again."
        )
    case .exceptionEnded:
      (Cause.exceptionEnded.clause, Cause.exceptionEnded.remedy + ".")
    default:
      (group.first.reason, Cause.manifestExpired.remedy + ": clients that take it can connect again.")
    }
  }

  /// The trust of an entry for which no trust store counts.
  private func ownTrust(_ group: LockoutGroup) -> Policy.Trust? {
    entry(of: group.first.server.part)?.trust.flatMap { $0.systemAnchors ? nil : $0 }
  }

  /// What is wrong where the servers' chains lead to a root that isn't among the entry's own anchors; nil elsewhere.
  private func missingAnchor(_ group: LockoutGroup) -> (reason: String, help: String)? {
    guard let list = ownTrust(group)?.anchorFiles.first?.place,
      case .refused(_, _, let failures) = group.first.landing.trust,
      let failure = failures.first(where: { [.missingIntermediate, .unknownIssuer].contains($0.code) }),
      let end = failure.fingerprint.flatMap({ input.live?.assessment.certificates[$0] })
    else { return nil }
    let root = end.isSelfSigned ? end.subject : end.issuer
    let file = policy.keys.lazy.compactMap(\.material).first { material in
      material.subject == root && material.certificate.map { $0.isCA && $0.isSelfIssued } ?? false
    }?.path
    let name = CertificateText.name(in: root)
    // What isn't known to be a root may be an intermediate that the server doesn't send.
    guard end.isSelfSigned || file != nil || name.lowercased().split(whereSeparator: { !$0.isLetter }).contains("root")
    else { return nil }
    let place = "\(policy.sources[list.file].path):\(list.start.line)"
    return (
      (group.servers.count == 1 ? "it presents a chain" : "they present chains")
        + " to '\(name)', which isn't among the entry's 'anchors:' (\(place))",
      "Add \(file.map { "'\(CertificateText.shown($0, most: 120))'" } ?? "this root") there and release it, or have the old "
        + "chain presented meanwhile."
    )
  }
}
