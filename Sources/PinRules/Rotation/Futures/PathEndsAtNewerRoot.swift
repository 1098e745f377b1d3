import Diagnostics
import PinPolicy
import PinRotation

extension Rule {
  /// A newer root at the end of the path.
  static let pathEndsAtNewerRoot = Rule(
    code: "P623",
    name: "path-ends-at-newer-root",
    severity: .warning,
    title: "Clients are locked out where the path ends at a newer root.",
    rationale: """
      A path ends at the first anchor. When an authority makes a new root, the old one certifies it. Clients whose trust
      store has the new root end the path there, and the old root is in the validated chain no longer. The day is that
      on which the first store had the new root, or on which issuance moves to it. Pin both roots. This is said once,
      when a release begins to depend on the old root; `check` says it again (P343).
      """,
    failing: .future("{ active: [starfield-services-root-g2], backup: [gts-root-r1] }"),
    passing: .future("{ active: [gts-root-r1], backup: [starfield-services-root-g2] }"),
    citation: "docs/rotation.md#futures; RFC 4158 section 2.4",
    check: .rotation { _, facts in facts.findings(.newerRoot) })
}
