import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A key that a set calls active and backup at once.
  static let keyInBothRoles = Rule(
    code: "P315",
    name: "key-in-both-roles",
    severity: .error,
    title: "A key is both active and backup in one set.",
    rationale: """
      A backup is there for the day when an active key is lost or stolen. A key that servers already present is lost with
      itself, so it backs up nothing. Which of the two lists is right can't be told from here: either the key was
      promoted in a rotation and a new backup was forgotten, or it is among the active keys too early.
      """,
    failing: Example(
      """
      version: 1
      keys:
        api: { file: keys/api.pem }
        example-root: { file: keys/example-root.pem }
      key-sets:
        public-web:
          active: [example-root, api]
          backup: [api]
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    passing: Example(
      """
      version: 1
      keys:
        api: { file: keys/api.pem }
        api-spare: { file: keys/api-spare.csr }
        example-root: { file: keys/example-root.pem }
      key-sets:
        public-web:
          active: [example-root, api]
          backup: [api-spare]
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "RFC 7469 section 4.3",
    check: .policy(keysInBothRoles))
}

private func keysInBothRoles(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  return input.keySetsInUse.lazy.filter(repeatsPins).flatMap { use -> [Finding] in
    let set = policy.keySets[use.set]
    var active: [Pin: Policy.KeySet.Member] = [:]
    for member in set.active {
      if let pin = policy.keys[member.key].pin, active[pin] == nil { active[pin] = member }
    }
    return set.backup.compactMap { member in
      let key = policy.keys[member.key]
      guard let pin = key.pin, let other = active[pin] else { return nil }
      return Finding(
        at: member.place, "backup key '\(key.name.value)' is an active key of \(set.title) too",
        related: [Diagnostic.Related("active here as '\(policy.keys[other.key].name.value)'", at: other.place)],
        help: "Remove it from one of the two lists, and name a backup that no server presents yet.",
        severity: use.severity(.error),
        fixes: (set.active.count > 1
          ? input.deletingItem(
            "'\(policy.keys[other.key].name.value)' from 'active'", at: other.place, .suggested, keepsList: true) : [])
          + input.deletingItem("'\(key.name.value)' from 'backup'", at: member.place, .suggested, keepsList: true))
    }
  }
}

/// True where two members may have one pin; a set of one key only is reported by a rule of its own.
private func repeatsPins(_ use: KeySetUse) -> Bool {
  !(use.isWhole && use.distinctPins < 2) && use.distinctPins < use.active.count + use.backup.count
}
