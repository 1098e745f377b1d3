import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// Connections that fail whatever is pinned.
  static let unhealthyServer = Rule(
    code: "P619",
    name: "unhealthy-server",
    severity: .warning,
    title: "Connections fail anyway, for a reason other than pins.",
    rationale: """
      Trust evaluation fails for what the server presents, or the newest manifest is stale and blocks: clients can't
      connect, with this release or without it. That is repaired in minutes, by a new certificate or a new release. A
      wrong pin stays for an adoption window. So the pins were checked against the keys of the chain as if it were
      healthy, and this finding neither makes the release unsafe nor excuses anything. Often it is the evidence that is at
      fault: it is old, or was judged with the wrong trust store.
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
        return facts.finding(
          group, "connections to \(facts.servers(group)) fail for a reason other than pins: \(reason)", help: help)
      }
    })
}

extension RotationFacts {
  /// Why connections fail, and what to do about it.
  fileprivate func health(_ group: LockoutGroup) -> (reason: String, help: String) {
    switch group.cause {
    case .untrusted(let reason):
      (
        reason,
        "Fix the server's certificate, or judge the evidence with the trust store that clients have. Then record the "
          + "evidence again ('pintle probe --record'), and run this command again."
      )
    case .exceptionEnded:
      (
        "the exception that excused a failure of trust evaluation has ended",
        "Fix the server's certificate, or extend the exception with a reason."
      )
    default:
      (reason(of: group.first), "Release a manifest with a later expiry: clients that take it can connect again.")
    }
  }
}
