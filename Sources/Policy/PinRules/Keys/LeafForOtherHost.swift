import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A server's certificate that is pinned for hosts which it doesn't name.
  static let leafForOtherHost = Rule(
    code: "P332",
    name: "leaf-for-other-host",
    severity: .warning,
    title: "A pinned server certificate isn't valid for a host that it is pinned for.",
    rationale: """
      A certificate is valid only for the names in its Subject Alternative Name; clients reject it for all other names.
      If none of the hosts that use the key is among these names, the wrong file was probably pinned, and no server of
      these hosts will present the key. If a key has no certificate for these hosts yet, pin it by its certificate
      request (CSR) or its public key, which contain no names.

      Servers present the active keys of a set. If the files of all of them are servers' certificates, one of these has to
      be valid for each host of the set, and for each name in `probe:`. So hosts may have a certificate each. If another
      active key of the set is a CA's, or has no certificate as its file, it may serve the rest. With
      `require: leaf-and-ca`, CA keys don't count.
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
  let (reported, findings) = leavesForNoHost(leaves, input)
  return findings + input.keySetsInUse.flatMap { namesWithoutLeaf($0, leaves, reported, input) }
}

/// The keys whose certificates are for none of their hosts, and a finding about each.
private func leavesForNoHost(_ leaves: Set<Int>, _ input: CheckInput) -> (keys: Set<Int>, [Finding]) {
  let policy = input.policy
  var hosts: [Int: [Int]] = [:]
  for use in input.keySetsInUse {
    for member in policy.keySets[use.set].members where leaves.contains(member.key) {
      hosts[member.key, default: []] += use.hosts
    }
  }
  var reported: Set<Int> = []
  let findings = hosts.sorted { $0.key < $1.key }.compactMap { index, hosts -> Finding? in
    let key = policy.keys[index]
    guard let certificate = key.material?.certificate else { return nil }
    let covered = CertificateNames(certificate)
    guard !hosts.contains(where: { mayServe(covered, certificate, policy.hosts[$0]) }) else { return nil }
    reported.insert(index)
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
  return (reported, findings)
}

/// The server certificates that are the files of the keys of a list.
private struct LeafFiles {
  private let certificates: [(certificate: KeyMaterial.Certificate, names: CertificateNames)]
  /// False where another key of the list may serve what these don't, with and without the keys of CAs; or where none of
  /// them is for any host.
  private let isAll: Bool
  private let isAllOfLeaves: Bool

  init(_ members: [Policy.KeySet.Member], _ leaves: Set<Int>, _ reported: Set<Int>, _ input: CheckInput) {
    let keys = members.map(\.key).filter { !input.policy.keys[$0].isDenied }
    certificates = keys.filter(leaves.contains).compactMap { input.policy.keys[$0].material?.certificate }.map {
      ($0, CertificateNames($0))
    }
    let others = keys.filter { !leaves.contains($0) }
    let isOne = keys.contains { leaves.contains($0) && !reported.contains($0) }
    isAll = isOne && others.isEmpty
    isAllOfLeaves = isOne && !others.contains { input.keyFacts.traits[$0].contains(.canStandAtLeaf) }
  }

  /// Whether an exception of an entry excuses the names of one of them.
  func areExcused(_ entry: Policy.HostEntry) -> Bool { certificates.contains { isExcused($0.certificate, entry) } }

  /// Whether none of them is for an entry's host, or a name below it, although one has to be.
  func miss(_ name: HostName?, of entry: Policy.HostEntry) -> Bool {
    guard entry.requirement?.value == .leafAndCA ? isAllOfLeaves : isAll else { return false }
    return !certificates.contains { certificate, names in
      name.map(names.cover) ?? mayServe(names, certificate, entry)
    }
  }

  var shown: String {
    let names = Set(certificates.flatMap(\.certificate.alternativeNames)).sorted()
    return names.isEmpty ? "they name no host" : "they are for \(Wording.list(names, most: 4))"
  }
}

/// Hosts of a set, and names in `probe:`, for which no active certificate is.
private func namesWithoutLeaf(
  _ use: KeySetUse, _ leaves: Set<Int>, _ reported: Set<Int>, _ input: CheckInput
) -> [Finding] {
  let (policy, set) = (input.policy, input.policy.keySets[use.set])
  let inUse = set.backup.filter { policy.keys[$0.key].status?.value == .active }
  guard (set.active + inUse).contains(where: { leaves.contains($0.key) }) else { return [] }
  let active = LeafFiles(set.active + inUse, leaves, reported, input)
  var hosts: [String] = []
  var probed: [Finding] = []
  for number in use.hosts {
    let entry = policy.hosts[number]
    guard entry.trust?.certificate == nil, !active.areExcused(entry) else { continue }
    if active.miss(nil, of: entry) { hosts.append(entry.label) }
    for name in input.hostIndex.probedNames(of: number) where active.miss(name.value, of: entry) {
      probed.append(
        Finding(
          at: name.place,
          "no active key of '\(entry.label)' has a certificate for '\(name.value.text)': \(active.shown)",
          help: "Pin the key of the server with that name too, or remove the name from 'probe:' if there is no server.")
      )
    }
  }
  guard !hosts.isEmpty else { return probed }
  let finding = Finding(
    at: set.place,
    "no active key of \(set.title) has a certificate for \(Wording.list(hosts, most: 4)): \(active.shown)",
    help: "Add the key of the server's certificate, or give the host a key set of its own. If a key is right, use its "
      + "certificate request or public key as 'file:' instead.")
  return [finding] + probed
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
