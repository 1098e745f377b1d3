import Diagnostics
import PinFormat
package import PinPolicy

/// What is known of the authorities whose keys the policy pins, and of the sets that have them.
///
/// Sets of hosts with trust of their own are left out: what public CAs do doesn't concern them.
package struct PinnedAuthorities: Sendable {
  let known: Authorities
  /// The pinned keys of which something is known, in the policy's order.
  let keys: [PinnedKey]

  /// A key that sets name, and that is known.
  struct PinnedKey: Sendable {
    /// The index in ``Policy/keys``.
    let key: Int
    let known: AuthorityKey
    let uses: [KeySetUse]
  }

  init(_ policy: Policy, _ facts: KeyFacts, _ inUse: [KeySetUse], at instant: Instant) {
    // Of thousands of keys, few belong to public authorities.
    func keys(withPin pin: Pin) -> [Int] {
      facts.keys(withPin: pin).filter { facts.traits[$0].isSuperset(of: [.canStandAbove, .isInSet]) }
    }
    let issuers = Set(facts.keys(with: .isCA).compactMap { Self.issuer(of: policy.keys[$0]) })
    let known = policy.library.concerning(
      subjects: issuers, withServices: policy.keySets.contains { $0.service != nil }, at: instant
    ) { !keys(withPin: $0).isEmpty }
    self.known = known
    var pinned: [Int: (known: AuthorityKey, uses: [KeySetUse])] = [:]
    // What a given file says of a pin counts, also under the name of another authority.
    for key in known.authorities.flatMap(\.keys) where known[key.pin]?.name == key.name {
      for index in keys(withPin: key.pin) { pinned[index] = (key, []) }
    }
    for use in pinned.isEmpty ? [] : inUse where !policy.hasOwnTrust(use) {
      for member in policy.keySets[use.set].members { pinned[member.key]?.uses.append(use) }
    }
    self.keys = pinned.sorted { $0.key < $1.key }.filter { !$0.value.uses.isEmpty }.map { index, value in
      PinnedKey(key: index, known: value.known, uses: value.uses)
    }
  }

  /// The name of the CA that issued an intermediate's certificate.
  package static func issuer(of key: Policy.Key) -> String? {
    guard let certificate = key.material?.certificate, certificate.isCA, !certificate.isSelfIssued else { return nil }
    return certificate.issuer
  }

  /// The authority that a key belongs to: its own, or that of the root which issued its certificate.
  func authority(of key: Policy.Key) -> Authority? {
    let own = key.pin.flatMap { known[$0] }
    return (own ?? Self.issuer(of: key).flatMap { known.key(ofSubject: $0) }).flatMap { known.authority(of: $0) }
  }
}

extension CheckInput {
  /// The pins of a set.
  func pins(of use: KeySetUse) -> Set<Pin> {
    Set(policy.keySets[use.set].members.compactMap { policy.keys[$0.key].pin })
  }

  /// The host that relies longest on a set, and until when; one without an expiry as long as an entry may last.
  func longest(_ uses: [KeySetUse]) -> (host: Int, expires: Instant) {
    let lasting = instant.adding(seconds: policy.effectiveSettings.maximumLifetime)
    let hosts = uses.flatMap(\.hosts).map { ($0, policy.hosts[$0].expires?.value ?? lasting) }
    return hosts.reduce((hosts[0].0, hosts[0].1)) { $1.1 > $0.1 ? $1 : $0 }
  }

  /// Whether hosts of a set can go on after an authority has left a key: every key that it moves to is in the set, or one
  /// above that.
  func goesOn(after key: AuthorityKey, in use: KeySetUse) -> Bool {
    let next = key.successors.filter { $0.date.instant < longest([use]).expires }
    let pins = pins(of: use)
    return !next.isEmpty
      && next.allSatisfy { link in
        guard let successor = authorities.known[link.key] else { return false }
        if pins.contains(successor.pin) { return true }
        return successor.signedBy.contains { above in
          above.key != key.name && authorities.known[above.key].map { pins.contains($0.pin) } ?? false
        }
      }
  }

  /// Whether an active key of a set is left once those are gone that end by an instant.
  func hasLastingKey(_ use: KeySetUse, at instant: Instant) -> Bool {
    policy.keySets[use.set].active.contains { member in
      policy.keys[member.key].pin.map {
        authorities.known.lasts($0, in: policy.effectiveSettings.stores, beyond: instant)
      } ?? true
    }
  }

  /// The severity of something that happens on a day: an error if the day is near and a set is left without an active key.
  func severity(on day: Instant, of uses: [KeySetUse]) -> Severity? {
    let near = instant.adding(seconds: policy.effectiveSettings.expiryWarning)
    guard raisesAnnouncements, day <= near, uses.contains(where: { $0.isEnforced && !hasLastingKey($0, at: near) })
    else {
      return uses.contains(where: \.isEnforced) ? nil : .note
    }
    return .error
  }

  /// `'api.example.com' and 2 more hosts rely on it until 2027-06-01`, where the expiry is written.
  func reliance(on uses: [KeySetUse]) -> Diagnostic.Related {
    let (host, expires) = longest(uses)
    let entry = policy.hosts[host]
    let others = uses.reduce(0) { $0 + $1.hosts.count } - 1
    let more = others > 0 ? " and \(counted(others, "more host")) rely" : " relies"
    let until = entry.expires == nil ? ", with no expiry" : " until \(day(of: expires))"
    return Diagnostic.Related(
      "'\(entry.label)'\(more) on it\(until)", at: entry.expires?.place ?? entry.written.place)
  }

  /// Adds to the lists of active keys that have one key, in each of some sets, others that the policy declares already.
  func pinning(_ others: [AuthorityKey], beside index: Int, in uses: [KeySetUse]) -> [Fix] {
    let keys = others.compactMap { other in policy.keys.firstIndex { $0.pin == other.pin && !$0.isDenied } }
    guard keys.count == others.count, !keys.isEmpty else { return [] }
    func name(_ key: Int) -> String { policy.keys[key].name.value }
    var edits: [Fix.Edit] = []
    for set in uses.lazy.map({ policy.keySets[$0.set] }) {
      guard let item = set.active.first(where: { $0.key == index })?.place else { continue }
      let missing = keys.filter { key in !set.members.contains { $0.key == key } }
      if missing.isEmpty { continue }
      guard let added = file(of: item)?.adding(missing.map(name), toListOfItemAt: item) else { return [] }
      edits += added
    }
    return .fix("pin \(keys.map { "'\(name($0))'" }.listed()) as well", .suggested, edits)
  }

  /// What clients would be shown, so that nothing matches.
  func witness(_ use: [KeySetUse], from day: Instant, root: AuthorityKey) -> Witness {
    let entry = policy.hosts[longest(use).host]
    return Witness(
      client: "this policy", serial: nil, released: "\(instant)", kind: nil, host: entry.label,
      instant: "\(max(day, instant))", until: nil, place: nil,
      chain: [
        Witness.Link(position: "leaf", pin: nil, name: nil),
        Witness.Link(
          position: root.position == .root ? "root" : "intermediate", pin: root.pin.description, name: root.name.key),
      ], reason: "no key of the set is in the chain")
  }
}
