import Diagnostics
import PinFormat
import PinPolicy
import PinValidator

extension Rule {
  /// An entry that asks for keys which no server of today's can present.
  package static let unsatisfiableRequirement = Rule(
    code: "P327",
    name: "unsatisfiable-requirement",
    severity: .error,
    title: "An entry requires what no server can present today.",
    rationale: """
      With `require: leaf-and-ca` a chain must match twice: at the server's own certificate, and above it. If all active
      keys of the set are servers' keys, or all are CAs' keys, today's chain can't do that, and each connection to the
      host is blocked. A backup key doesn't help as long as no server presents it. The one certificate that
      `trust: { certificate: … }` accepts is the whole chain: it matches if the set contains its key, but it can't match
      twice.

      If all active server keys have certificates as their files, these show which CAs are above them. It is a warning if
      none of these CAs' keys is in the set: servers need a certificate from another CA.
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
  guard input.hostFacts.traits.contains(where: { !$0.isDisjoint(with: mayBeUnsatisfiable) }) else { return [] }
  let known = KnownCertificates(policy, [], nil, input.live?.assessment)
  return input.keySetsInUse.lazy.filter(\.isWhole).flatMap { use -> [Finding] in
    let demanding = use.hosts.filter { !input.hostFacts.traits[$0].isDisjoint(with: mayBeUnsatisfiable) }
    guard !demanding.isEmpty else { return [] }
    let set = policy.keySets[use.set]
    let missing = MissingKind(use)
    let soleKeys = soleKeys(of: use, in: policy)
    let wantsBoth = missing == nil && demanding.contains { policy.hosts[$0].requirement?.value == .leafAndCA }
    let leaf = wantsBoth ? leafBelowNone(of: use, known, input) : nil
    return demanding.compactMap { index in
      let host = policy.hosts[index]
      if let certificate = host.trust?.certificate { return finding(host, certificate, set, soleKeys, input) }
      return finding(host, set, missing, input) ?? leaf.flatMap { finding(host, set, leaf: $0, input) }
    }
  }
}

/// An entry with neither is content with any key of its set, anywhere in a chain that the system trusts.
private let mayBeUnsatisfiable: HostTraits = [.asksForBoth, .hasTrust]

/// An entry of `leaf-and-ca` whose active keys are of one kind.
private func finding(_ host: Policy.HostEntry, _ set: Policy.KeySet, _ missing: MissingKind?, _ input: CheckInput)
  -> Finding?
{
  guard let requirement = host.requirement, requirement.value == .leafAndCA, let missing else { return nil }
  let owner = missing.isLeaf ? "server's" : "CA's"
  let holds = missing.isAmongBackups ? "has a \(owner) key only among its backups" : "has no \(owner) key"
  let help =
    if missing.isAmongBackups {
      "No server presents a backup key yet: add the current \(owner) key to 'active:', or set 'require: any'."
    } else {
      "Add \(missing.isLeaf ? "the server's own key" : "the key of a CA") to the set, or set 'require: any'."
    }
  return Finding(
    at: host.keySet?.place ?? host.written.place,
    "'\(host.label)' requires a leaf and a CA key, but \(set.title) \(holds)",
    related: [Diagnostic.Related("required here", at: requirement.place)], help: help, severity: severity(host),
    fixes: input.writing("any", at: requirement.place, .suggested))
}

/// The first active server key, if the files of all of them are certificates, and it is known that no CA key of the set
/// is above any of these.
private func leafBelowNone(of use: KeySetUse, _ known: KnownCertificates, _ input: CheckInput) -> Int? {
  let policy = input.policy
  let set = policy.keySets[use.set]
  let leaves = set.active.map(\.key).filter { input.keyFacts.traits[$0].contains(.canStandAtLeaf) }
  let areBelowNone = leaves.allSatisfy { leaf in
    let ways = policy.keys[leaf].pin.map { known.issuers(ofLeaf: $0) } ?? []
    return !ways.isEmpty
      && ways.allSatisfy { way in
        way.last != .some(nil) && !set.members.contains { policy.keys[$0.key].isInChain(above: way) }
      }
  }
  return areBelowNone ? leaves.first : nil
}

extension Policy.Key {
  /// Whether it is one of the keys above a leaf, at a place where it counts.
  fileprivate func isInChain(above leaf: [Pin?]) -> Bool {
    let positions = position.map { $0.value.positions.map(Optional.some) } ?? [nil]
    return leaf.indices.contains { place in
      leaf[place] == pin && positions.contains { LoadedManifest.allows($0, place + 1, of: leaf.count + 1) }
    }
  }
}

/// An entry of `leaf-and-ca` whose servers' certificates come from other CAs, as far as the policy's files show.
private func finding(
  _ host: Policy.HostEntry, _ set: Policy.KeySet, leaf: Int, _ input: CheckInput
) -> Finding? {
  let key = input.policy.keys[leaf]
  guard let requirement = host.requirement, requirement.value == .leafAndCA, !input.isServed(key, for: host) else {
    return nil
  }
  let issuer = Wording.quoted(key.material?.certificate?.issuer ?? "", most: 120)
  return Finding(
    at: key.sourcePlace,
    "'\(host.label)' requires a leaf and a CA key, but no CA key of \(set.title) is above the certificate of "
      + "'\(key.name.value)', which \(issuer) issued",
    related: [Diagnostic.Related("required here", at: requirement.place)],
    help: "Add the key of a CA that is above it, or have a CA of the set issue a certificate for this key; the pin "
      + "stays the same.",
    severity: .warning)
}

/// An entry of one certificate, which is the whole chain: its leaf and its root.
private func finding(
  _ host: Policy.HostEntry, _ certificate: Located<KeyMaterial>, _ set: Policy.KeySet, _ soleKeys: [Pin: Bool],
  _ input: CheckInput
) -> Finding? {
  let file = Wording.quoted(certificate.value.path)
  let canMatch = soleKeys[certificate.value.pin]
  guard canMatch == true else {
    return Finding(
      at: certificate.place,
      "'\(host.label)' accepts \(file) only, but \(set.title) "
        + (canMatch == nil ? "doesn't hold its key" : "holds its key as an intermediate's"),
      related: host.keySet.map { [Diagnostic.Related("these keys are required", at: $0.place)] } ?? [],
      help: canMatch == nil
        ? "Add a key with this file to the set, or name the certificate that was meant."
        : "Remove the key's 'position:': a certificate that is the whole chain is both its leaf and its root.",
      severity: severity(host))
  }
  guard let requirement = host.requirement, requirement.value == .leafAndCA else { return nil }
  return Finding(
    at: requirement.place, "'\(host.label)' requires a leaf and a CA key, but accepts one certificate only",
    related: [Diagnostic.Related("this certificate, which can't match twice", at: certificate.place)],
    help: "Set 'require: any'.", severity: severity(host),
    fixes: input.writing("any", at: requirement.place, .suggested))
}

/// A mismatch blocks where the entry enforces, and is only reported elsewhere.
private func severity(_ host: Policy.HostEntry) -> Severity? { host.mode.value == .enforce ? nil : .warning }

/// The pins of a set that entries of one certificate use, and whether each can match the only certificate of a chain.
private func soleKeys(of use: KeySetUse, in policy: Policy) -> [Pin: Bool] {
  guard use.hosts.contains(where: { policy.hosts[$0].trust?.certificate != nil }) else { return [:] }
  let keys = policy.keySets[use.set].members.map { policy.keys[$0.key] }
  return Dictionary(
    keys.compactMap { key in key.pin.map { ($0, key.position?.value != .intermediate) } },
    uniquingKeysWith: { $0 || $1 })
}

/// The kind of key that the active keys of a set lack.
private struct MissingKind {
  /// True where it is a server's key, false where it is a CA's.
  let isLeaf: Bool
  let isAmongBackups: Bool

  /// Nil where the active keys can be of both kinds, as far as their positions and files say, or where there are none.
  init?(_ use: KeySetUse) {
    let hasLeaf = use.active.some.contains(.canStandAtLeaf)
    guard use.active.count > 0, !hasLeaf || !use.active.some.contains(.canStandAbove) else { return nil }
    isLeaf = !hasLeaf
    isAmongBackups = use.backup.some.contains(hasLeaf ? .canStandAbove : .canStandAtLeaf)
  }
}
