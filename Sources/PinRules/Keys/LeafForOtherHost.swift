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

      If all keys of an entry are servers' certificates, each name in `probe:` is checked too: one of them has to be
      valid for it.
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
  return leavesForNoHost(leaves, input) + namesWithoutLeaf(leaves, input)
}

private func leavesForNoHost(_ leaves: Set<Int>, _ input: CheckInput) -> [Finding] {
  let policy = input.policy
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
      names.isEmpty ? "" : ", whose certificates must be for \(Wording.list(names, most: 4)) ('server-name:')"
    return Finding(
      at: key.sourcePlace,
      "the certificate of key '\(key.name.value)' \(has), but the key is pinned for \(Wording.list(all, most: 4))\(asked)",
      help:
        "Use the host's own certificate as 'file:'. If the key is right, use its certificate request or public key instead."
    )
  }
}

/// Names in `probe:` for which no certificate of the entry's keys is: all of these keys are servers' own.
private func namesWithoutLeaf(_ leaves: Set<Int>, _ input: CheckInput) -> [Finding] {
  let policy = input.policy
  return input.keySetsInUse.flatMap { use -> [Finding] in
    let keys = policy.keySets[use.set].members.map(\.key).filter { !policy.keys[$0].isDenied }
    guard !keys.isEmpty, keys.allSatisfy(leaves.contains) else { return [] }
    let certificates = keys.compactMap { policy.keys[$0].material?.certificate }
    let names = certificates.map(CertificateNames.init)
    return use.hosts.flatMap { number -> [Finding] in
      let entry = policy.hosts[number]
      guard !entry.probe.isEmpty, entry.trust?.certificate == nil,
        !certificates.contains(where: { isExcused($0, entry) })
      else { return [] }
      return input.hostIndex.probedNames(of: number).compactMap { name in
        guard !names.contains(where: { $0.cover(name.value) }) else { return nil }
        let shown = Set(certificates.flatMap(\.alternativeNames)).sorted()
        return Finding(
          at: name.place,
          "no key of '\(entry.label)' has a certificate for '\(name.value.text)': "
            + (shown.isEmpty ? "they name no host" : "they are for \(Wording.list(shown, most: 4))"),
          help: "Pin the key of the server with that name too, or remove the name from 'probe:' if there is no server.")
      }
    }
  }
}

private func isExcused(_ certificate: KeyMaterial.Certificate, _ host: Policy.HostEntry) -> Bool {
  host.trust?.exceptions.contains {
    $0.failure.value == .nameMismatch && $0.certificate == certificate.fingerprint
  } ?? false
}

/// Whether a server of the entry could present a certificate with these names.
private func mayServe(
  _ names: CertificateNames, _ certificate: KeyMaterial.Certificate, _ host: Policy.HostEntry
) -> Bool {
  // With 'certificate:' the certificate is compared byte by byte, and its names aren't checked.
  if host.trust?.certificate != nil { return true }
  let name = host.trust?.serverName?.value ?? host.host
  return isExcused(certificate, host) || names.cover(name)
    || host.coversSubdomains && host.trust?.serverName == nil && names.coverNames(below: name)
}
