import Diagnostics
import PinPolicy
import PinRotation

extension Rule {
  /// A pinned intermediate that may not issue the next certificate.
  static let otherIntermediate = Rule(
    code: "P622",
    name: "other-intermediate",
    severity: .warning,
    title: "Clients would be locked out if the next certificate comes from another intermediate.",
    rationale: """
      Authorities have several intermediates under one root, and choose one at each renewal. A pin of one of them
      matches only if the authority happens to choose it. Pin the root as well.
      """,
    failing: .known(active: "lets-encrypt-yr1", before: "usertrust-rsa"),
    passing: .known(active: "usertrust-rsa", before: "usertrust-rsa"),
    citation: "docs/rotation.md#futures",
    check: .rotation { _, facts in facts.futures(.intermediate) })
}
