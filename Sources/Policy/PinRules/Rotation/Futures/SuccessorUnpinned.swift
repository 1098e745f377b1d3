import Diagnostics
import PinPolicy
import PinRotation

extension Rule {
  /// An announced move of issuance to a key that is not pinned.
  static let successorUnpinned = Rule(
    code: "P625",
    name: "successor-unpinned",
    severity: .warning,
    title: "Clients would be locked out once an authority issues under another key, as it has announced.",
    rationale: """
      Authorities announce when they begin to issue under another root or intermediate. Each host changes at its first
      renewal after that, so clients are locked out of one host after the other. Pin the new key before that day.
      """,
    failing: .known(active: "globalsign-root-r3, digicert-global-root-g2", before: "usertrust-rsa"),
    passing: .known(active: "usertrust-rsa", before: "usertrust-rsa"),
    citation: "docs/rotation.md#futures",
    check: .rotation { _, facts in facts.futures(.successor) })
}
