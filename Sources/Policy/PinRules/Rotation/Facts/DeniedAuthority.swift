import Diagnostics
import PinFormat
package import PinPolicy
package import PinRotation

/// A denied key that is an authority's, or that may be one's, and the chains that may have it.
package struct DeniedAuthority {
  package let key: Policy.Key
  /// Whether a certificate or a position shows that it is an authority's.
  package let isKnown: Bool
  private let pin: Pin
  private let known: KnownCertificates
  /// The keys above it.
  private let ways: [[Pin?]]
  private let hasUnknownIssuer: Bool

  /// The authorities that a policy denies, each once.
  ///
  /// - Parameters:
  ///   - policy: The policy.
  ///   - known: The certificates that show which keys are authorities'.
  ///   - isUnclear: Whether a key that nothing shows to be an authority's counts as well.
  /// - Returns: The authorities, in the policy's order.
  package static func all(
    _ policy: Policy, _ known: KnownCertificates, or isUnclear: (Policy.Key) -> Bool = { _ in false }
  ) -> [DeniedAuthority] {
    var seen: Set<Pin> = []
    return policy.keys.compactMap { key in
      guard key.isDenied, let pin = key.pin, known.isAuthority(pin) || isUnclear(key), seen.insert(pin).inserted
      else { return nil }
      return DeniedAuthority(
        key: key, isKnown: known.isAuthority(pin), pin: pin, known: known, ways: known.issuers(of: pin),
        hasUnknownIssuer: known.hasUnknownIssuer(pin))
    }
  }

  /// Whether the certificates that aren't known of an entry's chain may have the key.
  ///
  /// Not if the entry's paths end at other anchors, if certificates show all that is above the leaf, or if the key can be
  /// neither below nor above the known keys.
  package func mayBe(in chain: PresentedChain, of trust: Policy.Trust?) -> Bool {
    guard trust?.certificate == nil else { return false }
    let anchors = known.anchorNames(trust?.anchors)
    func isAnchor(_ pin: Pin) -> Bool { anchors.contains { $0.pin == pin } }
    let leadsToAnchor = trust?.systemAnchors ?? true || isAnchor(pin) || hasUnknownIssuer || isBelow(isAnchor)
    let above = chain.pins.dropFirst()
    guard leadsToAnchor, !above.contains(pin) else { return false }
    let issuers = chain.pins[0].map { known.issuers(ofLeaf: $0, endingAt: anchors) } ?? []
    if !issuers.isEmpty, issuers.allSatisfy({ $0.last != .some(nil) }) { return issuers.contains { $0.contains(pin) } }
    guard let lowest = above.lazy.compactMap(\.self).first, above.last != .some(nil) else { return true }
    // It issued one of the certificates for a key of the chain.
    let isAround = above.lazy.compactMap(\.self).contains { key in
      known.issuers(of: key, endingAt: anchors).contains { $0.contains(pin) }
        && known.deniedIssuers(of: key, isLeaf: false, endingAt: anchors, { $0 == pin }) == nil
    }
    return isAround || hasUnknownIssuer || isBelow { $0 == lowest }
  }

  private func isBelow(_ isWanted: (Pin) -> Bool) -> Bool {
    ways.contains { $0.contains { $0.map(isWanted) ?? false } }
  }
}

extension RotationFacts {
  /// The authorities that the policy begins to deny, or denies for hosts that it begins to pin or to pin to another CA, each
  /// with the servers that nobody looked at and whose chains may have its key.
  ///
  /// Among them are pins that it begins to deny, of which nothing shows whose key they are.
  package var newlyDenied: [(authority: DeniedAuthority, isNew: Bool, servers: [Int])] {
    guard let candidate else { return [] }
    let before = Set(rotation.newest.keys.lazy.filter { $0.denied != nil }.map(\.pin))
    let newlyPinned = Set(rotation.changes.hosts.filter(\.beginsToPin).map(\.label))
    let authorities = DeniedAuthority.all(policy, certificates) { key in
      guard let pin = key.pin, key.position == nil, key.material == nil, !before.contains(pin) else { return false }
      return !certificates.isLeaf(pin) && scenario.standings[pin] == nil
    }
    return authorities.compactMap { authority in
      guard let pin = authority.key.pin else { return nil }
      let wasDenied = before.contains(pin)
      let servers = scenario.servers.indices.filter { number in
        guard let phase = scenario.servers[number].phases.first, phase.source == .assumed,
          let entry = entry(of: scenario.servers[number]), entry.mode.value != .off
        else { return false }
        let isKnown = wasDenied && !newlyPinned.contains(entry.label)
        let added = isKnown ? newlyActive(atServer: number) : []
        if isKnown, added.isEmpty { return false }
        return phase.views(ofRelease: candidate).flatMap(\.landings).map(\.trust.chain).contains { chain in
          (!isKnown || chain.pins.dropFirst().contains { $0.map(added.contains) ?? false })
            && authority.mayBe(in: chain, of: entry.trust)
        }
      }
      return servers.isEmpty ? nil : (authority, !wasDenied, servers)
    }
  }

  /// The keys that the policy lists as active for a server and the newest release doesn't.
  private func newlyActive(atServer number: Int) -> Set<Pin> {
    let server = scenario.servers[number]
    func active(_ release: ClientRelease?) -> Set<Pin> {
      let keys = release?.manifest.entryKeys(host: server.host.text, port: server.port) ?? []
      return Set(keys.filter { !$0.isBackup }.map(\.pin))
    }
    return active(candidate.map { scenario.releases[$0] })
      .subtracting(active(scenario.releases.last { $0.origin == .released }))
  }
}
