import Diagnostics
import PinPolicy

extension Rule {
  /// A key that is declared and then named by nothing.
  static let unusedKey = Rule(
    code: "P303",
    name: "unused-key",
    severity: .warning,
    title: "A key is declared but no key set names it.",
    rationale: """
      A key that isn't in any set isn't in any host's pins: clients don't know it. Often it is a backup key that was
      prepared and then forgotten, which shows only when the active key is lost. A key with `denied:` needs no set: it
      is blocked for every pinned host. Nor does a key whose `status:` is `planned` or `retired`.
      """,
    failing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
        web-spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w=, custody: HSM A }
      key-sets:
        public-web:
          active: [web]
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    passing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
        web-spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w=, custody: HSM A }
      key-sets:
        public-web:
          active: [web]
          backup: [web-spare]
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "docs/policy.md#keys",
    check: .policy(unusedKeys))
}

private func unusedKeys(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  guard policy.isComplete, !input.unread.mayUseNames else { return [] }
  return input.keyFacts.keys(without: [.isInSet, .isDenied]).compactMap { index in
    let key = policy.keys[index]
    guard !key.standsInNoManifest else { return nil }
    let name = key.name
    return Finding(
      at: name.place, "key '\(name.value)' is in no key set",
      help:
        "If it was replaced, remove it or write 'status: retired'; if it is for later, write 'status: planned'; else add it "
        + "to the 'active:' or 'backup:' keys of a set.",
      fixes: input.deletingField(name.value, at: name.place, .suggested))
  }
}

extension Policy.Key {
  /// True where its owners say that no manifest has it, not yet or not any more.
  fileprivate var standsInNoManifest: Bool { status?.value == .planned || status?.value == .retired }
}
