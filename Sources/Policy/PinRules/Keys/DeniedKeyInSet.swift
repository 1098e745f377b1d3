import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A key that is denied and pinned at once.
  package static let deniedKeyInSet = Rule(
    code: "P324",
    name: "denied-key-in-set",
    severity: .error,
    title: "A key set or `trust` relies on a key that is denied.",
    rationale: """
      A denied pin anywhere in the validated chain blocks the connection, whatever else matches. A set that counts on
      such a key has one key fewer than it seems to have; and if servers present it, every client of the host is locked
      out. The same is true of chains that end in a denied anchor or contain a denied intermediate, and of a key whose
      certificate was issued by a denied key.

      That is an error if the entry has no other anchor, and otherwise a warning.
      """,
    failing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
        web-2025:
          pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w=
          denied: found in a public bucket on 2025-11-03
      key-sets:
        public-web: { active: [web], backup: [web-2025] }
      """),
    passing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
        web-2025:
          pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w=
          denied: found in a public bucket on 2025-11-03
        web-spare: { pin: sha256/cRz0MIXqBq6r/gvqodmSR8cIyRJ1hqk9T3hh0w/3TrY=, custody: HSM A }
      key-sets:
        public-web: { active: [web], backup: [web-spare] }
      """),
    citation: "docs/policy.md#denied-keys",
    check: .policy { input in
      let denials = Denials(input)
      return denials.isEmpty ? [] : deniedKeysInSets(input, denials) + denials.inTrust(input) + denials.aboveKeys(input)
    })
}

private func deniedKeysInSets(_ input: CheckInput, _ denials: Denials) -> [Finding] {
  let policy = input.policy
  return policy.keySets.flatMap { set in
    set.members.compactMap { member in
      guard let pin = policy.keys[member.key].pin, let denial = denials[pin], let reason = denial.denied else {
        return nil
      }
      let key = policy.keys[member.key]
      let isOther = denial.name.value != key.name.value && key.denied == nil
      return Finding(
        at: member.place,
        "key '\(key.name.value)' of \(set.title) is denied" + (isOther ? " as '\(denial.name.value)'" : ""),
        related: [Diagnostic.Related("denied here", at: reason.place)],
        help: set.active.count == 1 && set.active[0].key == member.key
          ? "It is the only active key: move a backup to 'active:' in its place, have the servers present that, and pin a "
            + "new backup. Or remove the denial, if the key should be trusted again."
          : "Remove it from the set; or remove the denial, if the key should be trusted again.",
        fixes: input.deletingItem(
          "'\(key.name.value)' from the set", at: member.place, .suggested, keepsList: true))
    }
  }
}
