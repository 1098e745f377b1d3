import PinFormat
import PinPolicy
import PinRotation

/// A future of all servers with the same keys above the leaf.
struct FutureDraft {
  var future: Future
  /// What is above the leaf then: one of these.
  var above: [[Pin?]]
  /// Whether it may also be any active authority of the host's set that lasts until then: operators have a choice.
  var isOpen = false
}

/// What becomes of the keys above a leaf by what is known of their authorities.
struct FutureDrafts {
  private let known: Authorities
  private let stores: [TrustStoreName]
  /// The CAs that certified intermediates of the policy's own files.
  private let issuers: [Pin: AuthorityKey]
  private var drafts: [[Pin?]: [FutureDraft]] = [:]

  init(_ policy: Policy, _ known: Authorities) {
    self.known = known
    stores = policy.effectiveSettings.stores
    var issuers: [Pin: AuthorityKey] = [:]
    for key in policy.keys where !known.authorities.isEmpty {
      guard let pin = key.pin, let name = PinnedAuthorities.issuer(of: key) else { continue }
      issuers[pin] = known.key(ofSubject: name)
    }
    self.issuers = issuers
  }

  /// Whether a key is good for a chain after an instant.
  func lasts(_ pin: Pin, beyond instant: Instant) -> Bool { known.lasts(pin, in: stores, beyond: instant) }

  /// What may become of the keys above a leaf; none where nothing is known of them.
  mutating func drafts(above pins: [Pin?]) -> [FutureDraft] {
    if let made = drafts[pins] { return made }
    let keys = pins.map { $0.flatMap { known[$0] } }
    let made =
      [otherIntermediate(pins, keys)].compactMap(\.self) + newerRoots(pins, keys)
      + [anchorGone(pins, keys)].compactMap(\.self) + moves(pins, keys)
    drafts[pins] = made
    return made
  }

  /// The same root by another intermediate, where the CA is a public one.
  private func otherIntermediate(_ pins: [Pin?], _ keys: [AuthorityKey?]) -> FutureDraft? {
    guard let first = pins.first, let pin = first else { return nil }
    let end = pins.last.flatMap(\.self) == nil ? nil : pins.count - 1
    let root = keys.firstIndex { $0?.position == .root } ?? end
    let named = keys[0] ?? issuers[pin]
    guard root != 0, let key = named ?? root.flatMap({ keys[$0] }), let authority = known.authority(of: key) else {
      return nil
    }
    var future = future(.otherIntermediate, of: pin, keys[0], nil)
    future.authority = authority.name
    if let change = authority.issuersChange, change.notice == .withoutNotice { future.source = .init(change.source) }
    if let root { return FutureDraft(future: future, above: [[nil] + pins[root...]]) }
    // It isn't known under which root the intermediate is, so any of its authority's is right.
    let roots =
      authority.keys.filter { $0.position == .root }.map(\.pin)
      + (keys[0]?.signedBy ?? []).compactMap { known[$0.key]?.pin }
    return FutureDraft(future: future, above: [[nil, nil]] + roots.map { [nil, $0] })
  }

  /// A root that one of these certified, at which paths end where it is an anchor.
  private func newerRoots(_ pins: [Pin?], _ keys: [AuthorityKey?]) -> [FutureDraft] {
    keys.compactMap(\.self).filter { $0.position == .root }.flatMap { root in
      known.roots(certifiedBy: root).compactMap { newer -> FutureDraft? in
        guard let date = newer.firstAnchored(after: root) else { return nil }
        var future = future(.newerRoot, of: root.pin, root, date)
        future.next = [newer.name.key]
        // A path that goes through the newer root ends there; others are replaced at a renewal.
        let path = pins.firstIndex(of: newer.pin).map { Array(pins[...$0]) }
        return FutureDraft(future: future, above: [path ?? [nil, newer.pin]])
      }
    }
  }

  /// The end of the path leaves a store of the clients.
  private func anchorGone(_ pins: [Pin?], _ keys: [AuthorityKey?]) -> FutureDraft? {
    guard let root = keys.last.flatMap(\.self), root.position == .root,
      let departure = root.departures(from: stores)
        .filter({ $0.isRemoval && known.instant < $0.date.instant }).min(by: { $0.date.instant < $1.date.instant })
    else { return nil }
    var future = future(.anchorGone, of: root.pin, root, departure.date)
    future.store = departure.store.title
    // A lower root of the same path that is an anchor as well becomes its end.
    let shorter = pins.indices.dropLast().filter { index in
      keys[index].map { key in key.position == .root && stores.contains(where: key.isMember) } ?? false
    }
    return FutureDraft(future: future, above: [[nil, nil]] + shorter.map { Array(pins[...$0]) }, isOpen: true)
  }

  /// The keys under which authorities issue, or will, in place of those in the chain.
  private func moves(_ pins: [Pin?], _ keys: [AuthorityKey?]) -> [FutureDraft] {
    keys.enumerated().flatMap { place, key -> [FutureDraft] in
      guard let key else { return [] }
      if key.successors.isEmpty, let end = key.issuesUntil {
        return [FutureDraft(future: future(.issuanceMoves, of: key.pin, key, end), above: [[nil, nil]], isOpen: true)]
      }
      var drafts: [FutureDraft] = []
      var visited = [key.name]
      var open = [(key, Instant.earliest)]
      // The next key may have been left again: each move is a future of its own.
      while let (current, begin) = open.popLast() {
        for link in known.moves(from: current) where !visited.contains(link.key) {
          guard let next = known[link.key] else { continue }
          visited.append(link.key)
          let date = DatedStatement(instant: max(begin, link.date.instant), source: link.date.source)
          open.append((next, date.instant))
          var future = future(.issuanceMoves, of: key.pin, key, date)
          future.next = [next.name.key]
          drafts.append(FutureDraft(future: future, above: paths(to: next, in: Array(pins[(place + 1)...]), from: key)))
        }
      }
      return drafts
    }
  }

  /// What may be above a leaf that a key issued, or a CA below it; `rest` is what was above the key before.
  private func paths(to key: AuthorityKey, in rest: [Pin?], from old: AuthorityKey) -> [[Pin?]] {
    let below: [Pin?] = key.position == .root ? [nil, key.pin] : [key.pin]
    let signers = signers(of: key, from: old, depth: Self.mostSigners)
    let joined = rest.indices.filter { place in signers.contains { $0.last == rest[place] } }.map { Array(rest[$0...]) }
    let paths = (signers + joined).map { below + $0 } + (key.position == .root ? [below] : [])
    return paths.isEmpty ? [below + [nil]] : paths
  }

  /// Longer paths than these aren't built.
  private static let mostSigners = 3

  /// The keys above one, up to each that may be the end of the path.
  private func signers(of key: AuthorityKey, from old: AuthorityKey, depth: Int) -> [[Pin?]] {
    guard depth > 0 else { return [] }
    return key.signedBy.compactMap { known[$0.key] }.filter { $0.pin != old.pin }.flatMap { signer -> [[Pin?]] in
      [[signer.pin]] + signers(of: signer, from: old, depth: depth - 1).map { [signer.pin] + $0 }
    }
  }

  private func future(_ kind: Future.Kind, of pin: Pin, _ key: AuthorityKey?, _ date: DatedStatement?) -> Future {
    var future = Future(kind, of: pin)
    future.keyName = key?.name.key
    future.authority = key?.name.authority
    future.day = date?.instant
    future.source = date.map { .init($0.source) }
    return future
  }
}

extension Future.Source {
  fileprivate init(_ source: AuthoritySource) {
    self.init(published: source.published, url: source.url, says: source.says)
  }
}
