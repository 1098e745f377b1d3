import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A pin below one that is pinned as well.
  static let redundantKey = Rule(
    code: "P348",
    name: "redundant-key",
    severity: .note,
    title: "A pinned intermediate changes nothing, because its root is active in the same set.",
    rationale: """
      One pinned key in the chain is enough. So if a root is active, every certificate below it passes, and a pin of one of
      its intermediates admits nothing that the root doesn't admit. It isn't a restriction, and it
      isn't a backup either: if the root's key can't be used any more, neither can what it issued. Only the certificates that
      the policy has as files are known; if another CA certified the same intermediate, its pin has a use.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        example-intermediate: { file: keys/example-intermediate.pem }
        other-root: { file: keys/other-root.pem }
      key-sets:
        public-web: { active: [example-root, example-intermediate], backup: [other-root] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        other-root: { file: keys/other-root.pem }
      key-sets:
        public-web: { active: [example-root], backup: [other-root] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "docs/policy.md#semantics; Apple, Create a Long-Term Server Authentication Strategy",
    check: .policy(redundantKeys))
}

private func redundantKeys(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  return input.keySetsInUse.lazy.filter { use in
    // With anchors of the entry's own, a chain may end at the intermediate.
    use.isWhole && use.some.contains(.standsInTheMiddle)
      && use.hosts.allSatisfy { policy.hosts[$0].trust.map { $0.anchorFiles.isEmpty && $0.certificate == nil } ?? true }
  }.flatMap { use -> [Finding] in
    let set = policy.keySets[use.set]
    let active = Set(set.active.map(\.key))
    return set.members.compactMap { member in
      let key = policy.keys[member.key]
      guard key.standing == .intermediate, key.material?.certificate?.isCA ?? false,
        let above = input.hierarchy.cover(of: member.key, among: active)
      else { return nil }
      let name = policy.keys[above].name.value
      return Finding(
        at: member.place,
        "intermediate '\(key.name.value)' changes nothing: what passes by it passes by '\(name)', which is active",
        related: [Diagnostic.Related("'\(name)' issued it", at: policy.keys[above].sourcePlace)],
        help: "Remove it; or remove '\(name)' if only certificates of this intermediate should pass.")
    }
  }
}

extension Hierarchy {
  /// An active key that is in each chain with an intermediate, as far as the policy's certificates show; nil if there
  /// may be a chain without one.
  fileprivate func cover(of key: Int, among active: Set<Int>) -> Int? {
    var seen: Set<Int> = [key]
    var found: Int?
    var next = issuers(of: key)
    guard !next.isEmpty else { return nil }
    while let current = next.popLast() {
      guard seen.insert(current).inserted else { continue }
      if active.contains(current) {
        found = found ?? current
        continue
      }
      let above = issuers(of: current)
      guard !above.isEmpty else { return nil }
      next += above
    }
    return found
  }
}
