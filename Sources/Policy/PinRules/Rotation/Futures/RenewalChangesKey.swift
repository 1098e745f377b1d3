import Diagnostics
import PinPolicy
import PinRotation

extension Rule {
  /// A leaf key that the next renewal replaces.
  static let renewalChangesKey = Rule(
    code: "P621",
    name: "renewal-changes-key",
    severity: .warning,
    title: "Clients would be locked out if the next certificate has a new key.",
    rationale: """
      Most ACME clients make a new key for each certificate, so a pin of a server's own key matches only until the next
      renewal. Either keep the key (`--reuse-key`, `rotationPolicy: Never`) and pass the record of `pintle check --renewals`
      as `--renewals`, or pin a CA's key as well. Without evidence, a host is reported only if it has no active key of a
      CA, or requires both keys (`leaf-and-ca`).
      """,
    failing: .rotation(
      RotationLines.api("api-2027", backup: "spare"),
      after: .rotation(
        6, on: "2026-05-01", "hosts:\n  - { host: b.example.com, keys: { active: [root], backup: [spare] } }")),
    passing: .rotation(
      RotationLines.api("root", backup: "spare"),
      after: .rotation(
        6, on: "2026-05-01", "hosts:\n  - { host: b.example.com, keys: { active: [root], backup: [spare] } }")),
    citation: "docs/rotation.md#futures",
    check: .rotation { _, facts in facts.futures(.renewal) })
}
