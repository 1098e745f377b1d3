import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// An entry that asks for one key of each kind, with keys of one kind.
  static let unsatisfiableRequirement = Rule(
    code: "P327",
    name: "unsatisfiable-requirement",
    severity: .error,
    title: "An entry requires a leaf and a CA key, but its keys can't be both.",
    rationale: """
      With `require: leaf-and-ca` a chain must match twice: at the server's own certificate, and above it. Where all keys
      of the set are servers' keys, or all are CAs', no chain can, and each connection to the host is blocked.
      """,
    failing: Example(
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
          require: leaf-and-ca
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api: { file: keys/api.pem }
        api-spare: { file: keys/api-spare.csr }
      key-sets:
        public-web: { active: [example-root, api], backup: [api-spare] }
      hosts:
        - host: api.example.com
          keys: public-web
          require: leaf-and-ca
      """),
    citation: "docs/policy.md#hosts",
    check: .policy(unsatisfiableRequirements))
}

private func unsatisfiableRequirements(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  return policy.keySetsInUse.filter(\.isWhole).flatMap { use -> [Finding] in
    let keys = use.set.members.map { policy.keys[$0.key] }
    let hasLeaf = keys.contains(where: canStandAtLeaf)
    if hasLeaf, keys.contains(where: canStandAbove) { return [] }
    return use.hosts.compactMap { index in
      let host = policy.hosts[index]
      guard let requirement = host.requirement, requirement.value == .leafAndCA, host.trust?.certificate == nil else {
        return nil
      }
      return Finding(
        at: host.keySet?.place ?? host.written.place,
        "'\(host.label)' requires a leaf and a CA key, but \(use.set.title) holds no \(hasLeaf ? "CA's" : "server's") key",
        related: [Diagnostic.Related("required here", at: requirement.place)],
        help: "Add \(hasLeaf ? "the key of a CA" : "the server's own key") to the set, or require any of its keys.",
        severity: host.mode.value == .enforce ? nil : .warning)
    }
  }
}

private func canStandAtLeaf(_ key: Policy.Key) -> Bool {
  if let position = key.position { return position.value == .leaf }
  return key.material?.certificate.map { !$0.isCA } ?? true
}

private func canStandAbove(_ key: Policy.Key) -> Bool {
  if let position = key.position { return position.value != .leaf }
  return key.material?.certificate?.isCA ?? true
}
