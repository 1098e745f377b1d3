import Diagnostics
import PinPolicy
import PinRotation

extension Rule {
  /// A root that leaves a store.
  static let anchorLeavesStore = Rule(
    code: "P624",
    name: "anchor-leaves-store",
    severity: .warning,
    title: "A root leaves a trust store of the clients, and no other active key of the host is left.",
    rationale: """
      From that day on the host needs a certificate under another root. Any other active key that lasts is taken for the
      next one; if there is none, whatever the host changes to is blocked. `stores:` in the manifest file says which
      stores clients have. This is said once, when a release begins to depend on the root; `check` says it again (P342),
      and makes it an error when the day is near.
      """,
    failing: .future("{ active: [starfield-services-root-g2], backup: [gts-root-r1] }"),
    passing: .future("{ active: [starfield-services-root-g2, gts-root-r1], backup: [isrg-root-x1] }"),
    citation: "docs/rotation.md#futures; docs/authorities.md",
    check: .rotation { _, facts in facts.findings(.anchorGone) })
}
