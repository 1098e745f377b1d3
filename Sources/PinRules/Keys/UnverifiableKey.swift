import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A key that some or all clients can't verify.
  static let unverifiableKey = Rule(
    code: "P337",
    name: "unverifiable-key",
    severity: .error,
    title: "Some clients, or all, can't verify a key.",
    rationale: """
      Trust evaluation comes before pins, so a pin on a key that a client can't verify never matches there. `clients:` in
      the manifest file lists the kinds of clients (`openssl-3.0`, `openssl-3.5`, `java-17`, `android`, `apple`); without
      it, they are Pintle's own on OpenSSL 3.0 and Java 17. OpenSSL verifies ML-DSA from 3.5 on. It is an error if no kind
      of client verifies a key that a set lists, or any anchor. It is also an error if one kind verifies none of the active
      keys (with `leaf-and-ca`, none at the leaf or none above it), or no anchor. Otherwise it is a warning. A file shows which algorithm a key
      has, and which signed its certificate; beside a pin, `algorithm:` says it.
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
    title: "Nobody says of which algorithm some keys are.",
    rationale: """
      A pin doesn't show what kind of key it is of. Such a key is assumed to be of an algorithm that all clients verify;
      if it is of ML-DSA, for example, `diff` and `rotate` say that a change is safe, and clients on OpenSSL 3.0 block it.
      `algorithm:` beside the pin says what it is, and a key file shows it. One finding is about all these keys.
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
    guard !key.isDenied, let without = policy.unverified(key) else { return nil }
    return finding(
      at: key.sourcePlace, "key '\(key.name.value)'", without, policy,
      of: used.contains(index) ? nil : .warning,
      help: "Keep a second certificate on the servers, with a key that \(without.kinds.names) can verify")
  }
}

/// One finding of a key or certificate; a warning where other clients verify it.
private func finding(
  at place: Place, _ name: String, _ without: UnverifiedKey, _ policy: Policy, of severity: Severity?, help: String
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
    let found = needed.lazy.map { (place: $0, left: kindsLeft(by: $1.map { policy.unverified($0) }, policy)) }
    guard let (place, left) = found.first(where: { !$0.left.isEmpty }) else { return nil }
    let hosts = use.hosts.map { policy.hosts[$0].label }
    return Finding(
      at: set.place, "\(left.names) can't verify any active key\(place) of \(Wording.list(hosts, most: 4))",
      help: "Add an active key that these clients verify, and have the servers present its chain to them.")
  }
}

/// The kinds of clients that verify none of these; empty where no kind verifies any.
private func kindsLeft(by all: [UnverifiedKey?], _ policy: Policy) -> [Policy.ClientKind] {
  let without = all.map { $0?.kinds ?? [] }
  guard let first = without.first, without.contains(where: { $0.count < policy.verifiers.count }) else { return [] }
  return first.filter { kind in without.allSatisfy { $0.contains(kind) } }
}

/// Certificates of `trust` that clients can't verify, each once however many entries share the text.
private func unverifiedTrust(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  var seen: Set<Place> = []
  return input.hostsWithTrust.flatMap { index -> [Finding] in
    let entry = policy.hosts[index]
    guard entry.mode.value != .off, let trust = entry.trust, seen.insert(trust.place).inserted else { return [] }
    func findings(_ files: [Located<[KeyMaterial]>], _ role: String, isAnchor: Bool, _ severity: Severity?) -> [Finding]
    {
      files.flatMap { file in
        file.value.compactMap { certificate in
          policy.unverified(certificate, isAnchor: isAnchor).map {
            finding(
              at: file.place, "the \(role) \(Wording.quoted(certificate.subject ?? certificate.path, most: 120))", $0,
              policy, of: severity, help: "Name another \(role) for \($0.kinds.names) as well")
          }
        }
      }
    }
    let anchors = trust.anchorFiles.flatMap(\.value)
    let others = trust.systemAnchors || anchors.contains { policy.unverified($0, isAnchor: true) == nil }
    var found = findings(trust.anchorFiles, "anchor", isAnchor: true, others ? .warning : nil)
    found += findings(trust.intermediateFiles, "intermediate", isAnchor: false, .warning)
    found += findings(
      trust.certificate.map { [Located([$0.value], at: $0.place)] } ?? [], "certificate", isAnchor: true, nil)
    let left = trust.systemAnchors ? [] : kindsLeft(by: anchors.map { policy.unverified($0, isAnchor: true) }, policy)
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
  let unknown = used.map { policy.keys[$0] }.filter { $0.pin != nil && $0.algorithm == nil && !$0.isDenied }
  guard let first = unknown.first else { return [] }
  let names = Wording.list(unknown.map(\.name.value), most: 4)
  return [
    Finding(
      at: first.sourcePlace,
      "assumed that all clients verify \(names), which \(unknown.count == 1 ? "is" : "are") only "
        + (unknown.count == 1 ? "a pin" : "pins"),
      help: "Write 'algorithm:' beside the pin, or give the key by its file.")
  ]
}
