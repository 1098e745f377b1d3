import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A server's certificate that is pinned for hosts which it doesn't name.
  static let leafForOtherHost = Rule(
    code: "P332",
    name: "leaf-for-other-host",
    severity: .warning,
    title: "A pinned server certificate isn't valid for any host that it is pinned for.",
    rationale: """
      A certificate is valid only for the names in its Subject Alternative Name; clients reject it for all other names.
      If none of the hosts that use the key is among these names, the wrong file was probably pinned, and no server of
      these hosts will present the key. If a key has no certificate for these hosts yet, pin it by its certificate
      request (CSR) or its public key, which contain no names.
      """,
    failing: Example(example("shop.example.org")),
    passing: Example(example("api.example.com")),
    citation: "RFC 6125 section 6.4",
    check: .policy(leavesForOtherHosts))

  private static func example(_ host: String) -> String {
    """
    version: 1
    keys:
      api: { file: keys/api.pem }
      api-spare: { file: keys/api-spare.csr }
    hosts:
      - host: \(host)
        keys: { active: [api], backup: [api-spare] }
    """
  }
}

private func leavesForOtherHosts(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  // If a part of the policy can't be read, it may contain the host of the leaf.
  guard policy.isComplete else { return [] }
  let leaves = Set(input.keyFacts.keys(with: .hasCertificate, without: [.isCA, .isDenied]))
  guard !leaves.isEmpty else { return [] }
  var hosts: [Int: [Int]] = [:]
  for use in input.keySetsInUse {
    for member in policy.keySets[use.set].members where leaves.contains(member.key) {
      hosts[member.key, default: []] += use.hosts
    }
  }
  return hosts.sorted { $0.key < $1.key }.compactMap { index, hosts in
    let key = policy.keys[index]
    guard let certificate = key.material?.certificate else { return nil }
    let covered = CertificateNames(certificate)
    guard !hosts.contains(where: { mayServe(covered, certificate, policy.hosts[$0]) }) else { return nil }
    let shown = certificate.alternativeNames
    let has = shown.isEmpty ? "has no Subject Alternative Name" : "is for \(Wording.list(shown, most: 4))"
    let all = Set(hosts.map { policy.hosts[$0].label }).sorted()
    let names = Set(hosts.compactMap { policy.hosts[$0].trust?.serverName?.value.text }).sorted()
    let asked =
      names.isEmpty ? "" : ", where 'server-name:' says \(Wording.list(names, most: 4))"
    return Finding(
      at: key.sourcePlace,
      "the certificate of key '\(key.name.value)' \(has), but the key is pinned for \(Wording.list(all, most: 4))\(asked)",
      help:
        "Use the host's own certificate as 'file:'. If the key is right, use its certificate request or public key instead."
    )
  }
}

/// Whether a server of the entry could present a certificate with these names.
private func mayServe(
  _ names: CertificateNames, _ certificate: KeyMaterial.Certificate, _ host: Policy.HostEntry
) -> Bool {
  // With 'certificate:' the certificate is compared byte by byte, and its names aren't checked.
  if host.trust?.certificate != nil { return true }
  let isExcused =
    host.trust?.exceptions.contains {
      $0.failure.value == .nameMismatch && $0.certificate == certificate.fingerprint
    } ?? false
  let name = host.trust?.serverName?.value ?? host.host
  return isExcused || names.cover(name)
    || host.coversSubdomains && host.trust?.serverName == nil && names.coverNames(below: name)
}
