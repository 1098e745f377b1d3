import Diagnostics
import PinPolicy
import PinRotation

extension Rule {
  /// Another intermediate of the same CA.
  static let otherIntermediate = Rule(
    code: "P622",
    name: "other-intermediate",
    severity: .warning,
    title: "Clients are locked out if a certificate comes from another intermediate of its CA.",
    rationale: """
      A public CA has several intermediates and takes them in turn or at random; a few say so, and none promises one. If
      only the intermediate is pinned, a renewal may lock every client out without anybody having changed anything. Pin
      the root above it as well. This is said once, when a release begins to depend on the intermediate.
      """,
    failing: .future("{ active: [yr1], backup: [gts-root-r1] }"),
    passing: .future("{ active: [yr1, isrg-root-x1, root-yr], backup: [gts-root-r1] }"),
    citation: "docs/rotation.md#futures; Apple, Create a Long-Term Server Authentication Strategy",
    check: .rotation { _, facts in facts.findings(.otherIntermediate) })
}
