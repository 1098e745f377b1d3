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
