import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// The root of a private CA that is pinned, and that no client knows.
  static let unanchoredPrivateRoot = Rule(
    code: "P333",
    name: "unanchored-private-root",
    severity: .warning,
    title: "A private CA's root is pinned for a host, but is not among its anchors.",
    rationale: """
      A pin doesn't make a client trust a CA: the chain has to pass trust evaluation first. Clients that don't have the
      private root in their own trust store block every connection to the host, in `report-only` too. Pintle treats a root
      as private if another entry names it in `anchors:`, or if it was made after 2012 and lacks what every public root
      since then must have: critical basicConstraints, a critical keyUsage and an organization in its name. A private root
      that has all of these, as step-ca and mkcert make them, isn't recognised unless another entry names it.
      """,
    failing: Example(example("")),
    passing: Example(example("\n    trust: { anchors: [keys/example-root.pem], reason: issued by our own CA }")),
    citation: "CA/Browser Forum, TLS Baseline Requirements, section 7.1.2.1",
    check: .policy(unanchoredRoots))

  private static func example(_ trust: String) -> String {
    """
    version: 1
    keys:
      example-root: { file: keys/example-root.pem }
      api-spare: { file: keys/api-spare.csr }
    hosts:
      - host: api.example.com
        keys: { active: [example-root], backup: [api-spare] }\(trust)
      - host: other.example.com
        keys: { active: [example-root], backup: [api-spare] }
        trust: { anchors: [keys/example-root.pem], reason: issued by our own CA }
    """
  }
}

private func unanchoredRoots(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  var anchors: Set<Pin> = []
  for index in input.firstHostsOfTrust {
    for file in policy.hosts[index].trust?.anchorFiles ?? [] { anchors.formUnion(file.value.map(\.pin)) }
  }
  let roots = Set(
    input.keyFacts.keys(with: [.hasCertificate, .isCA], without: .isDenied).filter { index in
      guard let material = policy.keys[index].material, let certificate = material.certificate,
        certificate.isSelfIssued
      else { return false }
      return !certificate.mayBePublicRoot || anchors.contains(material.pin)
    })
  guard !roots.isEmpty else { return [] }
  return input.keySetsInUse.flatMap { use -> [Finding] in
    let members = policy.keySets[use.set].members.filter { roots.contains($0.key) }
    return members.compactMap { member in
      let key = policy.keys[member.key]
      // Hosts with the system's anchors and without an anchor for this root.
      let hosts = use.hosts.filter { index in
        guard let trust = policy.hosts[index].trust else { return true }
        return trust.certificate == nil && trust.systemAnchors
          && !trust.anchorFiles.contains { $0.value.contains { $0.pin == key.pin } }
      }
      guard let first = hosts.first else { return nil }
      let others = hosts.count > 1 ? " and \(counted(hosts.count - 1, "more host"))" : ""
      return Finding(
        at: member.place,
        "key '\(key.name.value)' is the root of a private CA, but '\(policy.hosts[first].label)'\(others) "
          + "\(hosts.count > 1 ? "have" : "has") the system's anchors only",
        related: [Diagnostic.Related("the root's certificate", at: key.sourcePlace)],
        help:
          "Add 'trust: { anchors: [\(key.material?.path ?? "FILE")], reason: … }' to the entry, or to 'defaults:' for "
          + "all hosts of the file. If all clients have the root in their system's trust store, suppress this finding.")
    }
  }
}
