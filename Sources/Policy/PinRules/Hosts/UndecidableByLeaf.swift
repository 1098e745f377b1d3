import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRotation

extension Rule {
  /// An entry that leaf-only clients refuse.
  package static let undecidableByLeaf = Rule(
    code: "P214",
    name: "undecidable-by-leaf",
    severity: .error,
    title: "Leaf-only clients can't decide on a host entry.",
    rationale: """
      `clients:` lists clients whose transport shows them only the leaf, such as AsyncHTTPClient. They don't know whether
      an authority's keys are in the chain, so they don't connect to a host whose entry depends on it:
      a key that can be above the leaf, `require: leaf-and-ca`, strength that the whole chain must have, or a `trust`
      that replaces the validation of the transport. The finding is a warning if the policy has clients of other kinds
      too, which may be the only ones that connect to the host.
      """,
    failing: Example(text(position: "")),
    passing: Example(text(position: ", position: leaf")),
    citation: "docs/transports.md#what-the-leaf-doesnt-decide",
    check: .policy(undecidableEntries))

  private static func text(position: String) -> String {
    """
    version: 1
    manifest: { audience: production, clients: [leaf-only] }
    keys:
      api: { file: keys/api.pem\(position) }
      api-spare: { file: keys/api-spare.csr\(position) }
    hosts:
      - host: api.example.com
        keys: { active: [api], backup: [api-spare] }
    """
  }
}

private func undecidableEntries(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  guard let leafOnly = policy.leafOnlyClients, let clients = policy.settings?.views else { return [] }
  let severity: Severity? = clients.allSatisfy { $0.value == .leafOnly } ? nil : .warning
  // A diff reports only what the release changes; `check` reports the rest.
  let changed = input.rotation.map { Set($0.changes.hosts.map(\.label)) }
  var hosts: [Undecidable: [String]] = [:]
  for use in input.keySetsInUse {
    for host in use.hosts.map({ policy.hosts[$0] }) where changed?.contains(host.label) ?? true {
      if let reason = Undecidable(host, in: policy) { hosts[reason, default: []].append(host.label) }
    }
  }
  return hosts.map { reason, labels in
    Finding(
      at: reason.place, "leaf-only clients can't decide on \(Wording.list(labels, most: 4)): \(reason.cause)",
      related: [Diagnostic.Related("they are listed here", at: leafOnly.place)],
      help: reason.help, severity: severity)
  }
}

/// Why the leaf alone doesn't decide on an entry: what ``LoadedManifest/limits(ofLeafOnly:)`` says at the client, in its
/// order.
private struct Undecidable: Hashable {
  let place: Place
  let cause: String
  let help: String

  init?(_ host: Policy.HostEntry, in policy: Policy) {
    let trust = host.trust
    if let trust, trust.departsFromTransport {
      (place, cause) = (trust.place, "their transport's own validation comes first, and 'trust' departs from it")
      help = "Use a transport whose validation is replaced for these hosts."
      return
    }
    guard trust?.intermediateFiles.isEmpty ?? true else { return nil }
    if let requirement = host.requirement, requirement.value == .leafAndCA {
      (place, cause) = (requirement.place, "they can't see the key above the leaf that 'leaf-and-ca' requires")
      help = "Give these clients the intermediates, or require any key and pin the leaf's."
    } else if let keySet = host.keySet.map({ policy.keySets[$0.value] }),
      let key = keySet.members.map({ policy.keys[$0.key] }).first(where: { $0.position?.value != .leaf })
    {
      (place, cause) = (keySet.place, "key '\(key.name.value)' has no 'position: leaf'")
      help =
        "Add 'position: leaf' if it is a leaf's key. Otherwise pin keys at the leaf, or give these clients the "
        + "intermediates."
    } else if let trust, trust.isAboutTheWholePath {
      (place, cause) = (trust.place, "'trust' requires something of the certificates above the leaf")
      help = "Give these clients the intermediates, or use a transport that sees the whole chain."
    } else {
      return nil
    }
  }
}

extension Policy.Trust {
  /// Whether it accepts what a transport's own validation rejects, or other anchors than the transport has.
  fileprivate var departsFromTransport: Bool {
    !systemAnchors || !anchorFiles.isEmpty || certificate != nil || serverName != nil || !exceptions.isEmpty
  }

  fileprivate var isAboutTheWholePath: Bool {
    minimumRSABits != nil || minimumECBits != nil || !signatures.isEmpty
  }
}
