import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

/// A denied key that is known to be an authority's, and the chains that may have it.
struct DeniedAuthority {
  let key: Policy.Key
  private let pin: Pin
  private let known: KnownCertificates
  /// The keys above it.
  private let ways: [[Pin?]]
  private let hasUnknownIssuer: Bool

  /// The authorities that a policy denies, each once.
  static func all(_ policy: Policy, _ known: KnownCertificates) -> [DeniedAuthority] {
    var seen: Set<Pin> = []
    return policy.keys.compactMap { key in
      guard key.isDenied, let pin = key.pin, known.isAuthority(pin), seen.insert(pin).inserted else { return nil }
      return DeniedAuthority(
        key: key, pin: pin, known: known, ways: known.issuers(of: pin), hasUnknownIssuer: known.hasUnknownIssuer(pin))
    }
  }

  /// Whether the certificates that aren't known of an entry's chain may have the key.
  ///
  /// Not if the entry's paths end at other anchors, if certificates show all that is above the leaf, or if the key can be
  /// neither below nor above the known keys.
  func mayBe(in chain: PresentedChain, of trust: Policy.Trust?) -> Bool {
    guard trust?.certificate == nil else { return false }
    let anchors = Set((trust?.anchorFiles ?? []).flatMap(\.value).map(\.pin))
    let leadsToAnchor =
      trust?.systemAnchors ?? true || anchors.contains(pin) || hasUnknownIssuer || isBelow(anchors.contains)
    let above = chain.pins.dropFirst()
    guard leadsToAnchor, !above.contains(pin) else { return false }
    let issuers = chain.pins[0].map { known.issuers(of: $0, isLeaf: true, endingAt: anchors) } ?? []
    if !issuers.isEmpty, issuers.allSatisfy({ $0.last != .some(nil) }) { return issuers.contains { $0.contains(pin) } }
    guard let lowest = above.lazy.compactMap(\.self).first, above.last != .some(nil) else { return true }
    return hasUnknownIssuer || isBelow { $0 == lowest }
  }

  private func isBelow(_ isWanted: (Pin) -> Bool) -> Bool {
    ways.contains { $0.contains { $0.map(isWanted) ?? false } }
  }
}

extension RotationFacts {
  /// The authorities that the policy begins to deny, or denies for hosts that it begins to pin, each with the servers that
  /// nobody looked at and whose chains may have its key.
  var newlyDenied: [(authority: DeniedAuthority, isNew: Bool, servers: [Int])] {
    guard let candidate else { return [] }
    let before = Set(rotation.newest.keys.lazy.filter { $0.denied != nil }.map(\.pin))
    let newlyPinned = Set(rotation.changes.hosts.filter(\.beginsToPin).map(\.label))
    return DeniedAuthority.all(policy, certificates).compactMap { authority in
      guard let pin = authority.key.pin else { return nil }
      let wasDenied = before.contains(pin)
      let servers = scenario.servers.indices.filter { number in
        guard let phase = scenario.servers[number].phases.first, phase.source == .assumed,
          let entry = entry(ofServer: number), entry.mode.value != .off,
          !wasDenied || newlyPinned.contains(entry.label)
        else { return false }
        return phase.views(ofRelease: candidate).flatMap(\.landings).contains {
          authority.mayBe(in: $0.trust.chain, of: entry.trust)
        }
      }
      return servers.isEmpty ? nil : (authority, !wasDenied, servers)
    }
  }
}
