import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinValidator

extension Rule {
  /// A release that keeps clients out in another way than by dropping a key.
  package static let clientsLockedOut = Rule(
    code: "P613",
    name: "clients-locked-out",
    severity: .error,
    title: "Clients of this release, or of a planned one, are locked out.",
    rationale: """
      A release that keeps clients from a server is an outage on the day when they load it: it denies a key that is still
      served, enforces pins that the server doesn't satisfy, requires a key at the leaf and above it although there is
      only one, removes an exception or an anchor that the chain needs, or leaves out a host while
      `unpinned-hosts` denies such hosts. Removed and early keys have rules of their own.
      """,
    failing: .rotation(
      RotationLines.api("api-2027", backup: "spare"), keys: ["api-2025": "denied: found in a public bucket"],
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "api-2027, spare"))),
    passing: .rotation(
      RotationLines.api("api-2027", backup: "spare"), keys: ["api-2025": "denied: found in a public bucket"],
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2027", backup: "api-2025, spare"))),
    citation: "docs/rotation.md#safe-and-resilient",
    check: .rotation { _, facts in
      facts.groups(.otherwise).map { group in
        let phrase = facts.otherCause(group)
        return facts.finding(
          group, "\(facts.clients(group)) are locked out of \(facts.servers(group)): \(phrase.message)",
          help: phrase.help)
      }
    })
}

extension RotationFacts {
  /// What a group's servers do with its keys, where the servers are named already.
  private func showing(_ group: LockoutGroup) -> String {
    let isOne = group.servers.count == 1
    let phase = group.first.phase
    switch phase.source {
    case .observed: return isOne ? "it presents" : "they present"
    case .assumed: return "\(isOne ? "it" : "they") may present"
    case .planned: return "\(isOne ? "it is" : "they are") from \(phase.begin) on to present"
    case .afterLoss: return "\(isOne ? "it is" : "they are") left with"
    }
  }

  /// Whether a chain fails trust evaluation for a reason.
  private func names(_ code: TrustFailure.Code, of lockout: Lockout) -> Bool {
    guard case .refused(_, _, let failures) = lockout.landing.trust else { return false }
    return failures.contains { $0.code == code }
  }

  /// What a lockout comes from that isn't a removed or an early key, and the way out.
  fileprivate func otherCause(_ group: LockoutGroup) -> (message: String, help: String) {
    let reason = group.first.reason
    switch group.cause {
    case .denied:
      return (
        "\(showing(group)) \(group.keys.isEmpty ? "a key" : keyList(group.keys)), which is denied",
        "Have the servers present another key before this is released, or accept the outage: a stolen key is worse."
      )
    case .newlyEnforced:
      return (
        "pins are enforced there for the first time, and \(reason)",
        "Keep it in 'mode: report-only', and enforce when the servers present a pinned key and the reports have ended."
      )
    case .untrusted where names(.wrongCertificate, of: group.first):
      return (
        reason,
        "To replace the certificate of 'certificate:', name both certificates in 'anchors:' instead, for an adoption "
          + "window. If the servers present another one already, record that: pintle probe \(policy.sources.folder) --record "
          + "fleet.json; then add --evidence fleet.json."
      )
    case .untrusted:
      return (reason, "Compare this entry's 'trust:' with the one that clients have, and fix it or the server.")
    case .exceptionEnded, .unpinnedDenied: return (reason, group.first.obstacle.cause.remedy + ".")
    case .other, .pinRemoved, .removedTooEarly, .disjoint, .notYetPublished, .expired:
      return (reason, "Keep what clients have until the servers satisfy this, and release it then.")
    }
  }
}
