import Diagnostics
import PinPolicy
import PinRotation

extension Rule {
  /// A path that ends before it reaches the pinned root.
  static let newerRootEndsPath = Rule(
    code: "P623",
    name: "newer-root-ends-path",
    severity: .warning,
    title: "Clients whose trust store has a newer root would be locked out.",
    rationale: """
      A path ends at the first trust anchor. If an update of the trust store adds a newer root, which the pinned root
      certified, paths end at the newer root, and the pinned one isn't in them. Pin the newer root as well.
      """,
    failing: .known(active: "isrg-root-x1", before: "usertrust-rsa"),
    passing: .known(active: "digicert-global-root-g2", before: "usertrust-rsa"),
    citation: "docs/rotation.md#futures",
    check: .rotation { _, facts in facts.futures(.newerRoot) })
}
