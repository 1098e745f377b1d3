import PinFormat
import PinPolicy
import PinRotation

/// What may become of a chain by what its authorities do, each with the chains that servers may present then.
struct Announcements {
  /// One thing that may happen to a chain.
  struct Announcement: Hashable {
    var kind: Future.Kind
    var instant: Instant?
    /// The key that the chain loses.
    var pin: Pin
    /// What it is called where the policy has no name for it.
    var name: String
    /// The ways that paths may take then, each with the key that comes in place of the first; a chain that one of several
    /// keys may issue is blocked for each key by itself.
    var ways: [Way]
    var source: AuthoritySource?
  }

  struct Way: Hashable {
    var next: AuthorityKey?
    /// A client goes on if one of them passes: it isn't known which of a key's issuers ends the path.
    var chains: [PresentedChain]
  }

  let known: Authorities
  /// The trust stores of the clients.
  let stores: [TrustStoreName]

  /// What is known of the authorities whose keys are in some chains.
  init(_ policy: Policy, _ chains: some Sequence<PresentedChain>, at instant: Instant) {
    var pins: Set<Pin> = []
    for chain in chains { pins.formUnion(chain.pins.dropFirst().compactMap(\.self)) }
    known = policy.library.concerning(subjects: [], withServices: false, at: instant) { pins.contains($0) }
    stores = policy.effectiveSettings.stores
  }

  /// Everything that may happen above the leaf of a chain.
  func all(of chain: PresentedChain) -> [Announcement] {
    let keys = chain.pins.map { pin in pin.flatMap { known[$0] } }
    var found: [Announcement] = []
    for key in keys.dropFirst() {
      if let key { found += moves(from: key, chain.pins[0]) }
    }
    if let other = otherIntermediate(chain, keys) { found.append(other) }
    if let root = keys.last.flatMap(\.self), root.position == .root, keys.count > 1 {
      found += newerRoots(above: root, of: chain)
      if let departure = departure(of: root) {
        found.append(
          Announcement(
            kind: .anchorGone, instant: departure.instant, pin: root.pin, name: root.name.key,
            ways: [Way(chains: [PresentedChain([chain.pins[0], nil])])], source: departure.source))
      }
    }
    return found
  }

  /// The first day on which a root leaves one of the clients' stores.
  func departure(of root: AuthorityKey) -> DatedStatement? {
    stores.compactMap { root.stores[$0]?.until }.min { $0.instant < $1.instant }
  }

  /// Issuance that moves to other keys, or ends.
  private func moves(from key: AuthorityKey, _ leaf: Pin?) -> [Announcement] {
    let days = Dictionary(grouping: key.successors, by: \.date.instant)
    var found = days.sorted { $0.key < $1.key }.compactMap { instant, links -> Announcement? in
      let ways = links.compactMap { link in known[link.key].map { Way(next: $0, chains: chains(below: $0, leaf)) } }
      guard let first = links.first, !ways.isEmpty else { return nil }
      return Announcement(
        kind: .successor, instant: instant, pin: key.pin, name: key.name.key, ways: ways, source: first.date.source)
    }
    if found.isEmpty, let end = key.issuesUntil {
      found = [
        Announcement(
          kind: .successor, instant: end.instant, pin: key.pin, name: key.name.key,
          ways: [Way(chains: [PresentedChain([leaf, nil])])], source: end.source)
      ]
    }
    return found
  }

  /// The chains below a key that issuance moves to.
  private func chains(below key: AuthorityKey, _ leaf: Pin?) -> [PresentedChain] {
    let issuers = key.signedBy.compactMap { link in known[link.key] }
    guard key.position == .root else {
      return issuers.isEmpty
        ? [PresentedChain([leaf, key.pin, nil])] : issuers.map { PresentedChain([leaf, key.pin, $0.pin]) }
    }
    // A new root is below an older one until stores have it.
    let isAnchor = key.stores.values.contains { $0.since != nil }
    return [PresentedChain([leaf, nil, key.pin])]
      + (isAnchor ? [] : issuers.map { PresentedChain([leaf, nil, key.pin, $0.pin]) })
  }

  /// Another intermediate below the same root, if something is known of the chain's authority.
  private func otherIntermediate(_ chain: PresentedChain, _ keys: [AuthorityKey?]) -> Announcement? {
    let middle = chain.pins.indices.dropFirst().dropLast()
    guard let index = middle.first(where: { chain.pins[$0] != nil }), let pin = chain.pins[index],
      let any = keys[index] ?? keys[(index + 1)...].lazy.compactMap(\.self).first
    else { return nil }
    var pins = chain.pins
    for index in middle { pins[index] = nil }
    let change = known.authority(of: any)?.issuersChange
    return Announcement(
      kind: .intermediate, instant: nil, pin: pin, name: keys[index]?.name.key ?? "that of today",
      ways: [Way(chains: [PresentedChain(pins)])],
      source: change.flatMap { $0.notice == .withoutNotice ? $0.source : nil })
  }

  /// Roots that the chain's root certified: where one is an anchor, a path through it ends there.
  private func newerRoots(above root: AuthorityKey, of chain: PresentedChain) -> [Announcement] {
    known.roots(certifiedBy: root).compactMap { newer in
      guard let since = newer.stores.values.compactMap(\.since).min(by: { $0.instant < $1.instant }) else { return nil }
      let ended: PresentedChain
      if let index = chain.pins.firstIndex(of: newer.pin) {
        ended = PresentedChain(Array(chain.pins[...index]))
      } else if chain.pins.count == 2, chain.pins[0] == nil {
        // Of a chain that is only assumed, what is between leaf and root isn't known.
        ended = PresentedChain([nil, newer.pin])
      } else {
        return nil
      }
      return Announcement(
        kind: .newerRoot, instant: since.instant, pin: root.pin, name: root.name.key,
        ways: [Way(next: newer, chains: [ended])],
        source: since.source)
    }
  }
}
