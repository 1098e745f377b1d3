import Diagnostics
import PinPolicy

extension Rule {
  /// A key set that is declared and then used by no host.
  static let unusedKeySet = Rule(
    code: "P304",
    name: "unused-key-set",
    severity: .warning,
    title: "A key set is declared but no host entry uses it.",
    rationale: """
      A set that no host uses doesn't reach the manifest. It looks as if something were protected by it; and in a
      rotation, it is one more place that people change for nothing.
      """,
    failing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
        web-spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
      key-sets:
        public-web: { active: [web], backup: [web-spare] }
      """),
    passing: Example(
      """
      version: 1
      keys:
        web: { pin: sha256/BOYfx3hIv9Rg7anrzbGHb+G4Z3OuEIOGQ42TiZFMBbs= }
        web-spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
      key-sets:
        public-web: { active: [web], backup: [web-spare] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "docs/policy.md#key-sets",
    check: .policy(unusedKeySets))
}

private func unusedKeySets(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  guard policy.isComplete, !input.unread.mayUseNames else { return [] }
  var isUsed = Array(repeating: false, count: policy.keySets.count)
  for index in policy.hosts.indices { if let set = policy.hosts[index].keySet?.value { isUsed[set] = true } }
  return policy.keySets.indices.filter { !isUsed[$0] }.map { index in
    let set = policy.keySets[index]
    return Finding(
      at: set.place, "\(set.title) is used by no host",
      help: "Use it in the 'keys:' of a host entry, or remove it.",
      fixes: input.deletingField(set.name, at: set.place, .suggested))
  }
}
