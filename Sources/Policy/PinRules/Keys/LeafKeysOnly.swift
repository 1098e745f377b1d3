import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A set without any CA's key.
  static let leafKeysOnly = Rule(
    code: "P316",
    name: "leaf-keys-only",
    severity: .note,
    title: "All keys of a set are servers' own keys.",
    rationale: """
      A pinned server key must be used again for each new certificate, or be changed in the manifest first and on the
      server later. Where certificates are renewed by a machine that makes a new key each time, the next renewal locks
      clients out. With a CA's key among the pins, new keys certified by that CA keep working. Pinning servers' keys only
      is stricter, and right for owners who control those keys well.
      """,
    failing: Example(
      """
      version: 1
      keys:
        api: { file: keys/api.pem }
        api-spare: { file: keys/api-spare.csr }
      key-sets:
        public-web: { active: [api], backup: [api-spare] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      key-sets:
        public-web: { active: [example-root], backup: [api-spare] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "Apple, Create a Long-Term Server Authentication Strategy",
    check: .policy(setsOfLeafKeys))
}

private func setsOfLeafKeys(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  return input.keySetsInUse.filter { use in
    use.isWhole && use.distinctPins > 1 && mayHoldServerKeysOnly(use)
      && policy.keySets[use.set].members.allSatisfy { isServerKey(input.keyFacts.traits[$0.key]) }
      && !policy.hasOwnTrust(use)
  }.map { use in
    let set = policy.keySets[use.set]
    return Finding(
      at: set.place, "\(set.title) contains no CA key", related: use.related(in: policy),
      help: """
        Add the key of the CA that issues your certificates, or make sure that renewals keep the pinned keys.
        """)
  }
}

/// A request without a position asks for a server's certificate as a rule; about a bare pin nothing is known.
private func isServerKey(_ traits: KeyTraits) -> Bool { !traits.isDisjoint(with: [.standsAtLeaf, .isPlainRequest]) }

/// False where active keys aren't servers' keys: most sets need no closer look.
private func mayHoldServerKeysOnly(_ use: KeySetUse) -> Bool { isServerKey(use.active.some) || use.active.count == 0 }
