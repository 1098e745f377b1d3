import Diagnostics
import PinFormat
import PinPolicy
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
      (reason, "Record what the servers present: pintle probe --record fleet.json; then add --evidence fleet.json.")
    case .untrusted(let reason):
      (
        reason,
        "Fix the server's certificate, or pass the trust store that clients have (--trust-store). Then record the "
          + "evidence again ('pintle probe --record'), and run this command again."
      )
    case .exceptionEnded:
      (Cause.exceptionEnded.clause, Cause.exceptionEnded.remedy + ".")
    default:
      (group.first.reason, Cause.manifestExpired.remedy + ": clients that take it can connect again.")
    }
  }
}
