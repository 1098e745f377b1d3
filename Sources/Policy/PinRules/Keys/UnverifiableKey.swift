import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A key that some or all clients can't verify.
  package static let unverifiableKey = Rule(
    code: "P337",
    name: "unverifiable-key",
    severity: .error,
    title: "Some clients, or all, can't verify a key.",
    rationale: """
      A client first evaluates the chain and then compares the pins. If it can't verify a key, it rejects the chain, and
      the pin doesn't matter. `clients:` in the manifest file lists the kinds of clients that you have: `openssl-3.0`,
      `openssl-3.5`, `java-17`, `android`, `apple`. Without it, `openssl-3.0` and `java-17` are assumed. ML-DSA, for
      example, is verified only by `openssl-3.5`.

      It is an error if no kind of client can verify a key of a key set, or any anchor of an entry. It is also an error
      if one kind can verify no active key of a set, or no anchor. With `require: leaf-and-ca`, each kind needs an active
      key at the leaf and one above it. Otherwise it is a warning.

      A key file shows the key's algorithm, and which algorithm signed its certificate. So do the files in `trust:`, and
      evidence. Where only the pin is known, `algorithm:` says it.
      """,
    failing: Example(text),
    passing: Example(assumed(algorithm: ", algorithm: ec-p256")),
    citation: "docs/policy.md#what-clients-verify",
    isSuppressible: false,
    check: .policy { input in
      unverifiedKeys(input) + setsWithoutActiveKey(input) + unverifiedTrust(input)
    })

  private static let text = """
    version: 1
    manifest: { audience: production, clients: [openssl-3.0, openssl-3.5] }
    keys:
      api: { file: keys/api.pem }
      spare: { file: keys/api-spare.csr }
      next: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, algorithm: ml-dsa-65 }
    hosts:
      - host: api.example.com
        keys: { active: [next], backup: [api] }
    """

  /// What isn't known of a key that is only a pin.
  static let assumedAlgorithm = Rule(
    code: "P338",
    name: "assumed-algorithm",
    severity: .note,
    title: "The algorithm of some keys isn't known.",
    rationale: """
      A pin is a hash, so it doesn't show the algorithm of the key. `check`, `diff` and `rotate` then assume that all
      clients can verify the key. If this is wrong, they call a change safe that locks clients out: OpenSSL 3.0, for
      example, can't verify ML-DSA. To avoid the assumption, use a key file, or write `algorithm:` beside the pin. All
      such keys are in one finding.
      """,
    failing: Example(assumed(algorithm: "")),
    passing: Example(assumed(algorithm: ", algorithm: ec-p256")),
    citation: "docs/policy.md#what-clients-verify",
    check: .policy(assumedAlgorithms))

  private static func assumed(algorithm: String) -> String {
    """
    version: 1
    keys:
      api: { file: keys/api.pem }
      spare: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=\(algorithm), custody: HSM B }
    hosts:
      - host: api.example.com
        keys: { active: [api], backup: [spare] }
    """
  }
}

/// Keys that no kind of client verifies, and those that only some do.
private func unverifiedKeys(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  let used = Set(policy.keySets.flatMap { $0.members.map(\.key) })
  return policy.keys.indices.compactMap { index in
    let key = policy.keys[index]
    guard !key.isDenied, let without = input.knownKeys.unverified(key) else { return nil }
    return finding(
      at: key.sourcePlace, "key '\(key.name.value)'", without, policy,
      of: used.contains(index) ? nil : .warning,
      help: "Keep a second certificate on the servers, with a key that \(without.kinds.names) can verify")
  }
}

/// One finding of a key or certificate; a warning where other clients verify it.
private func finding(
  at place: Place, _ name: String, _ without: ClientLimits.Unverified, _ policy: Policy, of severity: Severity?,
  help: String
) -> Finding {
  guard without.kinds.count == policy.verifiers.count else {
    return Finding(
      at: place, "\(without.kinds.names) can't verify \(name) (\(without.what))",
      help: help + ". If you have no such clients, list those that you have in 'clients:' of the manifest file.",
      severity: .warning)
  }
  return Finding(
    at: place, "no client can verify \(name) (\(without.what)); the clients are \(policy.verifiers.names)",
    help: "Use a key and a certificate that all your clients can verify. Without 'clients:' in the manifest file, "
      + "openssl-3.0 and java-17 are assumed; if you have other clients, list them there.",
    severity: severity)
}

/// Key sets in use of which a kind of client verifies no active key; keys that no kind verifies are reported as such.
private func setsWithoutActiveKey(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  return input.keySetsInUse.compactMap { use in
    let set = policy.keySets[use.set]
    let active = set.active.map { policy.keys[$0.key] }.filter { !$0.isDenied }
    var needed = [("", active)]
    if use.hosts.contains(where: { policy.hosts[$0].requirement?.value == .leafAndCA }) {
      // Of such a pair, clients need both.
      needed.append((" at the leaf", active.filter { ($0.standing ?? .leaf) == .leaf }))
      needed.append((" above the leaf", active.filter { $0.standing != .leaf }))
    }
    let found = needed.lazy.map { (place: $0, left: kindsLeft(by: $1.map { input.knownKeys.unverified($0) }, policy)) }
    guard let (place, left) = found.first(where: { !$0.left.isEmpty }) else { return nil }
    let hosts = use.hosts.map { policy.hosts[$0].label }
    return Finding(
      at: set.place, "\(left.names) can't verify any active key\(place) of \(Wording.list(hosts, most: 4))",
      help: "Add an active key that these clients verify, and have the servers present its chain to them.")
  }
}

/// The kinds of clients that verify none of these; empty where no kind verifies any.
private func kindsLeft(by all: [ClientLimits.Unverified?], _ policy: Policy) -> [Policy.ClientKind] {
  let without = all.map { $0?.kinds ?? [] }
  guard let first = without.first, without.contains(where: { $0.count < policy.verifiers.count }) else { return [] }
  return first.filter { kind in without.allSatisfy { $0.contains(kind) } }
}

/// Certificates of `trust` that clients can't verify, each once however many entries share the text.
private func unverifiedTrust(_ input: CheckInput) -> [Finding] {
  let (policy, keys) = (input.policy, input.knownKeys)
  var seen: Set<Place> = []
  return input.hostsWithTrust.flatMap { index -> [Finding] in
    let entry = policy.hosts[index]
    guard entry.mode.value != .off, let trust = entry.trust, seen.insert(trust.place).inserted else { return [] }
    func findings(_ files: [Located<[KeyMaterial]>], _ role: String, isAnchor: Bool, _ severity: Severity?) -> [Finding]
    {
      files.flatMap { file in
        file.value.compactMap { certificate in
          keys.unverified(certificate, isAnchor: isAnchor).map {
            finding(
              at: file.place, "the \(role) \(Wording.quoted(certificate.subject ?? certificate.path, most: 120))", $0,
              policy, of: severity, help: "Name another \(role) for \($0.kinds.names) as well")
          }
        }
      }
    }
    let anchors = trust.anchorFiles.flatMap(\.value)
    let others = trust.systemAnchors || anchors.contains { keys.unverified($0, isAnchor: true) == nil }
    var found = findings(trust.anchorFiles, "anchor", isAnchor: true, others ? .warning : nil)
    found += findings(trust.intermediateFiles, "intermediate", isAnchor: false, .warning)
    found += findings(
      trust.certificate.map { [Located([$0.value], at: $0.place)] } ?? [], "certificate", isAnchor: true, nil)
    let left = trust.systemAnchors ? [] : kindsLeft(by: anchors.map { keys.unverified($0, isAnchor: true) }, policy)
    if let first = trust.anchorFiles.first, !left.isEmpty {
      found.append(
        Finding(
          at: first.place, "\(left.names) can't verify any anchor of '\(entry.label)'",
          help: "Add an anchor that these clients verify, and have the servers present its chain to them."))
    }
    return found
  }
}

private func assumedAlgorithms(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  let used = Set(policy.keySets.flatMap { $0.members.map(\.key) }).sorted()
  let unknown = used.map { policy.keys[$0] }.filter { key in
    !key.isDenied && key.pin.map { input.knownKeys.algorithm(of: $0) == nil } ?? false
  }
  guard let first = unknown.first else { return [] }
  let names = Wording.list(unknown.map(\.name.value), most: 4)
  return [
    Finding(
      at: first.sourcePlace,
      "assumed that all clients can verify \(names): only the \(unknown.count == 1 ? "pin is" : "pins are") known",
      help: "Write 'algorithm:' beside the pin, or give the key by its file.")
  ]
}
