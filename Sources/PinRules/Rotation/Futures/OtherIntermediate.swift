import Diagnostics
import PinPolicy
import PinRotation

extension Rule {
  /// An intermediate that need not be the next one.
  static let otherIntermediate = Rule(
    code: "P622",
    name: "other-intermediate",
    severity: .warning,
    title: "Clients would be locked out if the next certificate comes from another intermediate.",
    rationale: """
      Authorities have several intermediates below one root, and choose one at each renewal. A pin on one of them
      holds as long as the authority happens to choose it. Pin the root above.
      """,
    failing: .known(active: "lets-encrypt-yr1", before: "usertrust-rsa"),
    passing: .known(active: "usertrust-rsa", before: "usertrust-rsa"),
    citation: "docs/rotation.md#futures",
    check: .rotation { _, facts in facts.futures(.intermediate) })
}
