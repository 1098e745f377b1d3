import PinFormat
import PinPolicy
import PinRotation
import PinRules

/// A change that may happen to all chains with the same keys above the leaf.
struct Announcement {
  /// What may be above the leaf then, such as one of the keys that issuance moves to.
  struct Way {
    var next: AuthorityKey?
    /// One of these: it isn't known which of a key's issuers ends the path, so a client goes on if one of them passes.
    var above: [[Pin?]]
  }

  var kind: Future.Kind
  var instant: Instant?
  /// The key that chains lose.
  var pin: Pin
  /// Its name if no release has one for it.
  var name: String
  /// Each of these happens somewhere: chains are blocked by each on its own.
  var ways: [Way]
  /// Whether operators then choose: any active key of the host that lasts may be above the leaf as well.
  var isOpen = false
  /// Nil for what nobody has announced.
  var source: AuthoritySource?
}

/// How the keys above a leaf may change, by what is known of their authorities.
struct Announcements {
  private let known: Authorities
  /// The trust stores of the clients.
  private let stores: [TrustStoreName]
  /// The CAs that certified intermediates of the policy's own files.
  private var issuers: [Pin: AuthorityKey] = [:]
  private var made: [[Pin?]: [Announcement]] = [:]

  /// - Parameters:
  ///   - policy: Whose library counts, and whose `stores:`.
  ///   - pins: The keys above leaves, of all servers and in key sets.
  ///   - instant: Only what was published until then is known.
  init(_ policy: Policy, _ pins: Set<Pin>, at instant: Instant) {
    let subjects = policy.keys.compactMap { key in
      key.pin.flatMap { pin in PinnedAuthorities.issuer(of: key).map { (pin, $0) } }
    }
    known = policy.library.concerning(
      subjects: Set(subjects.map(\.1)), withServices: false, at: instant
    ) { pins.contains($0) }
    stores = policy.effectiveSettings.stores
    if known.authorities.isEmpty { return }
    for (pin, name) in subjects { issuers[pin] = known.key(ofSubject: name) }
  }

  /// Whether a key is good for a chain beyond an instant.
  func lasts(_ pin: Pin, beyond instant: Instant) -> Bool { known.lasts(pin, in: stores, beyond: instant) }

  /// How the keys above a leaf may change; empty if nothing is known of them.
  mutating func all(above pins: [Pin?]) -> [Announcement] {
    if let made = made[pins] { return made }
    let keys = pins.map { $0.flatMap { known[$0] } }
    let found =
      [otherIntermediate(pins, keys), anchorGone(pins, keys)].compactMap(\.self)
      + keys.enumerated().flatMap { place, key in
        key.map { moves(from: $0, Array(pins[(place + 1)...])) + newerRoots(than: $0, pins) } ?? []
      }
    made[pins] = found
    return found
  }

  /// The same root by another intermediate, where the CA is a public one.
  private func otherIntermediate(_ pins: [Pin?], _ keys: [AuthorityKey?]) -> Announcement? {
    guard let pin = pins[0] else { return nil }
    let end = pins.last.flatMap(\.self) == nil ? nil : pins.count - 1
    let root = keys.firstIndex { $0?.position == .root } ?? end
    guard root != 0, let key = keys[0] ?? issuers[pin] ?? root.flatMap({ keys[$0] }),
      let authority = known.authority(of: key)
    else { return nil }
    var above: [[Pin?]] = []
    if let root {
      above = [[nil] + pins[root...]]
    } else {
      // It isn't known under which root the intermediate is, so any of its authority's is right.
      let roots = authority.keys.filter { $0.position == .root } + (keys[0].map(signers) ?? [])
      above = [[nil, nil]] + roots.map { [nil, $0.pin] }
    }
    let change = authority.issuersChange.flatMap { $0.notice == .withoutNotice ? $0.source : nil }
    return Announcement(
      kind: .intermediate, pin: pin, name: keys[0]?.name.key ?? pin.description, ways: [.init(above: above)],
      source: change)
  }

  /// The end of the path leaves a store of the clients.
  private func anchorGone(_ pins: [Pin?], _ keys: [AuthorityKey?]) -> Announcement? {
    guard let root = keys.last.flatMap(\.self), root.position == .root,
      let departure = stores.compactMap({ root.stores[$0]?.until }).min(by: { $0.instant < $1.instant }),
      known.instant < departure.instant
    else { return nil }
    // A lower root of the same path that is an anchor as well becomes its end.
    let shorter = pins.indices.dropLast().filter { place in
      keys[place].map { key in key.position == .root && stores.contains { key.isKnown(in: $0) } } ?? false
    }
    return Announcement(
      kind: .anchorGone, instant: departure.instant, pin: root.pin, name: root.name.key,
      ways: [.init(above: [[nil, nil]] + shorter.map { Array(pins[...$0]) })], isOpen: true, source: departure.source)
  }

  /// Roots that one of the chain certified: where such a root is an anchor, a path through it ends there.
  private func newerRoots(than root: AuthorityKey, _ pins: [Pin?]) -> [Announcement] {
    guard root.position == .root else { return [] }
    return known.roots(certifiedBy: root).compactMap { newer in
      let above: [Pin?]
      let date: DatedStatement?
      if let place = pins.firstIndex(of: newer.pin) {
        (above, date) = (Array(pins[...place]), newer.firstAnchored(after: root))
      } else if pins.count == 1 {
        // Of a chain that is only assumed, what is between leaf and root isn't known.
        (above, date) = ([nil, newer.pin], newer.firstAnchored(after: root))
      } else {
        // Another path ends there; this one does when issuance moves.
        (above, date) = ([nil, newer.pin], root.successors.first { $0.key == newer.name }?.date)
      }
      return date.map { date in
        Announcement(
          kind: .newerRoot, instant: date.instant, pin: root.pin, name: root.name.key,
          ways: [.init(next: newer, above: [above])], source: date.source)
      }
    }
  }

  /// Issuance that moves to other keys, or ends; `rest` is above the key now.
  private func moves(from key: AuthorityKey, _ rest: [Pin?]) -> [Announcement] {
    func announcement(_ date: DatedStatement, _ ways: [Announcement.Way], isOpen: Bool = false) -> Announcement {
      Announcement(
        kind: .successor, instant: date.instant, pin: key.pin, name: key.name.key, ways: ways, isOpen: isOpen,
        source: date.source)
    }
    if key.successors.isEmpty {
      return key.issuesUntil.map { [announcement($0, [.init(above: [[nil, nil]])], isOpen: true)] } ?? []
    }
    let days = Dictionary(grouping: known.moves(from: key), by: \.date.instant).sorted { $0.key < $1.key }
    return days.compactMap { _, links in
      let ways = links.compactMap { link in
        known[link.key].map { Announcement.Way(next: $0, above: paths(to: $0, rest, except: key)) }
      }
      return ways.isEmpty ? nil : announcement(links[0].date, ways)
    }
  }

  /// What may be above a leaf that a key issued, or a CA below it.
  private func paths(to key: AuthorityKey, _ rest: [Pin?], except old: AuthorityKey) -> [[Pin?]] {
    let below: [Pin?] = key.position == .root ? [nil, key.pin] : [key.pin]
    let signers = signers(of: key, except: old, atMost: Self.mostSigners)
    let joined = rest.indices.filter { place in signers.contains { $0.last == rest[place] } }.map { Array(rest[$0...]) }
    let paths = (signers + joined).map { below + $0 } + (key.position == .root ? [below] : [])
    return paths.isEmpty ? [below + [nil]] : paths
  }

  /// No path of a public CA has more keys above one of its own.
  private static let mostSigners = 3

  private func signers(of key: AuthorityKey) -> [AuthorityKey] { key.signedBy.compactMap { known[$0.key] } }

  /// The keys above one, up to each of them that may be the end of the path.
  private func signers(of key: AuthorityKey, except old: AuthorityKey, atMost depth: Int) -> [[Pin?]] {
    guard depth > 0 else { return [] }
    return signers(of: key).filter { $0.pin != old.pin }.flatMap { signer -> [[Pin?]] in
      [[signer.pin]] + signers(of: signer, except: old, atMost: depth - 1).map { [signer.pin] + $0 }
    }
  }
}
