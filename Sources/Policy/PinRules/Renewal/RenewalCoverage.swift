import Diagnostics
import PinFormat
import PinPolicy

/// Which host entries the names of certificates concern.
struct RenewalCoverage {
  private let input: CheckInput
  /// The ports that entries name, and nil for all others.
  private let ports: [UInt16?]
  /// Entries by the host above theirs, which a wildcard names.
  private var below: [String: [Int]] = [:]
  /// Entries that are verified by another name than their own.
  private var byServerName: [String: [Int]] = [:]

  init(_ input: CheckInput) {
    self.input = input
    ports = [nil] + Set(input.policy.hosts.compactMap { $0.port?.value }).sorted()
    for (index, entry) in input.policy.hosts.enumerated() {
      if let name = entry.trust?.serverName?.value {
        byServerName[name.text, default: []].append(index)
        if let wildcard = CertificateName.wildcard(above: name) { byServerName[wildcard, default: []].append(index) }
      } else if let wildcard = CertificateName.wildcard(above: entry.host) {
        below[wildcard, default: []].append(index)
      }
    }
  }

  /// The entries that govern a connection to a host which a certificate of this name is for.
  func entries(of name: String) -> Set<Int> {
    guard let (host, isWildcard) = CertificateName.host(name) else { return [] }
    let canonical = (isWildcard ? "*." : "") + host.text
    var found = Set(byServerName[canonical] ?? [])
    if isWildcard { found.formUnion(below[canonical] ?? []) }
    for port in ports {
      let entry =
        isWildcard
        ? input.hostIndex.governing(namesBelow: host, port: port) : input.hostIndex.governing(host, port: port)
      if let entry, input.policy.hosts[entry].trust?.serverName == nil { found.insert(entry) }
    }
    return found
  }
}

/// Which host entries pin a CA whose certificate a setting renews.
struct RenewedAuthorities {
  private let input: CheckInput
  /// By the common name of a key's file, the keys of CAs.
  private var keys: [String: Set<Int>] = [:]
  /// Whether an active key may be a CA's of which nobody knows the name.
  private(set) var hasUnnamed = false

  init(_ input: CheckInput) {
    self.input = input
    let known = Set(input.authorities.keys.map(\.key))
    let active = Set(input.policy.keySets.flatMap(\.active).map(\.key))
    for (number, key) in input.policy.keys.enumerated() where active.contains(number) && !key.isDenied {
      if let material = key.material, let certificate = material.certificate {
        guard certificate.isCA, let name = material.commonName else { continue }
        keys[name, default: []].insert(number)
      } else if key.position?.value != .leaf, !known.contains(number) {
        hasUnnamed = true
      }
    }
  }

  /// The entries whose clients a new key of this CA would lock out: no other active key is a CA's.
  func entries(pinning name: String?) -> Set<Int> {
    guard let renewed = name.flatMap({ keys[$0] }) else { return [] }
    let pinned = input.hostFacts.entries(with: .hasKeys, without: .isOff)
    return Set(
      pinned.filter { entry in
        guard let set = input.policy.hosts[entry].keySet?.value else { return false }
        let active = Set(input.policy.keySets[set].active.map(\.key))
        let others = active.subtracting(renewed).filter {
          !input.keyFacts.traits[$0].contains(.isDenied) && !input.keyFacts.traits[$0].contains(.canStandAtLeaf)
        }
        return !active.isDisjoint(with: renewed) && others.isEmpty
      })
  }
}

extension CheckInput {
  /// The entries whose clients a new leaf key would lock out, as far as the policy tells.
  ///
  /// An active key above the leaf keeps accepting renewed certificates; so does a backup that issued an active one. A
  /// bare pin may be anywhere, so it counts as a server's key unless it is known as an authority's.
  var hostsOnLeafKeys: [Int] {
    let known = Set(authorities.keys.map(\.key))
    func isAbove(_ key: Int) -> Bool { known.contains(key) || !keyFacts.traits[key].contains(.canStandAtLeaf) }
    var answers: [Int: (leaf: Bool, above: Bool)] = [:]
    func answer(_ set: Int) -> (leaf: Bool, above: Bool) {
      if let answer = answers[set] { return answer }
      let active = policy.keySets[set].active.map(\.key).filter { !keyFacts.traits[$0].contains(.isDenied) }
      let backup = policy.keySets[set].backup.map(\.key).filter { !keyFacts.traits[$0].contains(.isDenied) }
      let leaves = active.filter { !isAbove($0) }
      let issuers = leaves.reduce(into: Set<Int>()) { $0.formUnion(hierarchy.ancestors(of: $1)) }
      answers[set] = (!leaves.isEmpty, active.contains(where: isAbove) || backup.contains { issuers.contains($0) })
      return answers[set] ?? (false, false)
    }
    return hostFacts.entries(with: .hasKeys, without: .isOff).filter { index in
      guard let set = policy.hosts[index].keySet?.value else { return false }
      let (leaf, above) = answer(set)
      return leaf && (!above || hostFacts.traits[index].contains(.asksForBoth))
    }
  }
}
