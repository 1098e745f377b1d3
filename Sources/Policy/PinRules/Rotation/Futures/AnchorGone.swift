import Diagnostics
import PinPolicy
import PinRotation

extension Rule {
  /// A root that leaves the stores of clients.
  static let anchorGone = Rule(
    code: "P624",
    name: "anchor-gone",
    severity: .warning,
    title: "Clients would be locked out once a root leaves their trust stores.",
    rationale: """
      When a root leaves the trust stores of clients, hosts have to move to another root. Clients that pin only the old
      one are locked out on that day at the latest. `stores:` in the manifest file says which stores the clients have.
      """,
    failing: .known(active: "starfield-services-root-g2", before: "usertrust-rsa"),
    passing: .known(active: "usertrust-rsa", before: "usertrust-rsa"),
    citation: "docs/rotation.md#futures",
    check: .rotation { _, facts in facts.futures(.anchorGone) })
}
