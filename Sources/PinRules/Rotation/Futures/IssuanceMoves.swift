import Diagnostics
import PinPolicy
import PinRotation

extension Rule {
  /// Issuance under another key.
  static let issuanceMoves = Rule(
    code: "P625",
    name: "issuance-moves",
    severity: .warning,
    title: "An authority issues under another key than the one that is pinned.",
    rationale: """
      Authorities announce from when on they issue under other keys, months ahead, to their customers and not to those who
      pinned the keys. From then on each renewal brings another chain. This is said once, when a release begins to
      depend on the key that is left; `check` says it again (P341), and makes it an error when the day is near.
      """,
    failing: .future("{ active: [globalsign-root-r3], backup: [gts-root-r1] }"),
    passing: .future("{ active: [globalsign-root-r3, globalsign-root-r46], backup: [gts-root-r1] }"),
    citation: "docs/rotation.md#futures; docs/authorities.md",
    check: .rotation { _, facts in facts.findings(.issuanceMoves) })
}
