import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A set that looks like two keys and is one.
  package static let tooFewKeys = Rule(
    code: "P312",
    name: "too-few-keys",
    severity: .error,
    title: "A key set that hosts use has fewer than two distinct keys, or no active one.",
    rationale: """
      Pinning needs at least two keys: one that servers present today and one that they don't, so that the first can be
      replaced at any time. Names don't count, pins do: two names of one key are one key. A set whose keys are all kept
      for later matches no server at all.
      """,
    failing: Example(
      """
      version: 1
      keys:
        api: { file: keys/api.pem }
        api-again: { file: keys/api-public.pem }
      key-sets:
        public-web:
          active: [api]
          backup: [api-again]
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
      key-sets:
        public-web:
          active: [api]
          backup: [api-spare]
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "RFC 7469 section 2.5",
    check: .policy(setsOfTooFewKeys))
}

private func setsOfTooFewKeys(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  return input.keySetsInUse.compactMap { use in
    guard use.isWhole else { return nil }
    if use.active.count == 0 {
      let set = policy.keySets[use.set]
      return Finding(
        at: set.place, "\(set.title) has no active key", related: use.related(in: policy),
        help: help(use, input),
        // Clients reject a manifest with an empty set, whatever the mode of its hosts.
        severity: use.backup.count == 0 ? .error : use.severity(.error))
    }
    // Sets without a backup are reported by another rule.
    guard use.backup.count > 0, use.distinctPins < 2 else { return nil }
    let set = policy.keySets[use.set]
    return Finding(
      at: set.place, "\(set.title) contains only one distinct key", related: namings(set, in: policy),
      help: "Add another key to 'backup:', one that no server presents yet.", severity: use.severity(.error))
  }
}

/// What to do about a set without an active key: the one that servers present may be the one that was stolen.
private func help(_ use: KeySetUse, _ input: CheckInput) -> String {
  let add = "Add the key that servers present today to 'active:'."
  guard !input.keyFacts.keys(with: .isDenied).isEmpty else { return add }
  return add + " If that key is denied, "
    + (use.backup.count > 0
      ? "move a backup to 'active:' instead, have the servers present it, and pin a new backup."
      : "make a new key and list that instead, and have the servers present it.")
}

private func namings(_ set: Policy.KeySet, in policy: Policy) -> [Diagnostic.Related] {
  set.members.map { Diagnostic.Related("'\(policy.keys[$0.key].name.value)' is that key", at: $0.place) }
}
