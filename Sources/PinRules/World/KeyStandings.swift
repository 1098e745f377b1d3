import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRotation

/// Where in a chain each key is when it is presented, and who certified those that are in between.
///
/// By its `position:`; or else by what its file is, as far as the policy knows the same pin; or else by where evidence
/// shows it. A key of which nothing is known is at the leaf.
struct KeyStandings {
  /// By pin; a key's own `position:` counts before it.
  private(set) var known: [Pin: KeyStanding] = [:]

  init(_ policy: Policy, _ assessment: Assessment?) {
    for target in assessment?.targets ?? [] {
      for judgement in target.visits.lazy.compactMap(\.served).flatMap(\.judgements) {
        for path in judgement.paths {
          note(path.chain.prefix(path.linked).map { assessment?.certificates[$0]?.pin } + (path.hasEnd ? [] : [nil]))
        }
      }
    }
    let authorities = policy.keys.filter { $0.material?.certificate?.isCA ?? false }
    // The policy takes precedence over the evidence.
    for key in policy.keys {
      guard let pin = key.pin,
        let position = key.standing
          ?? (key.position?.value == .ca ? .intermediate : key.material == nil ? nil : ChainPosition.leaf)
      else { continue }
      known[pin, default: KeyStanding(position)].position = position
      if key.position?.value == .ca { known[pin]?.isAnyAuthority = true }
    }
    let bySubject = Dictionary(grouping: authorities) { $0.material?.subject ?? "" }
    for key in authorities {
      guard let pin = key.pin, let standing = known[pin], standing.position == .intermediate, standing.issuers.isEmpty
      else { continue }
      let issuers = Self.issuers(of: key, among: bySubject, atMost: authorities.count)
      if !issuers.isEmpty { known[pin]?.issuers = [issuers] }
    }
  }

  /// Takes note of a chain that was seen, nil standing for keys that can't be known.
  private mutating func note(_ pins: [Pin?]) {
    for (place, pin) in pins.enumerated() {
      guard let pin else { continue }
      let position: ChainPosition = place == 0 ? .leaf : place == pins.count - 1 ? .root : .intermediate
      var standing = known[pin] ?? KeyStanding(position)
      let issuers = Array(pins[(place + 1)...])
      if position == .intermediate, !standing.issuers.contains(issuers) { standing.issuers.append(issuers) }
      known[pin] = standing
    }
  }

  /// The keys above an authority, by the names and identifiers that the policy's own files have.
  private static func issuers(
    of key: Policy.Key, among authorities: [String: [Policy.Key]], atMost limit: Int
  ) -> [Pin?] {
    var issuers: [Pin?] = []
    var last = key.material
    while let certificate = last?.certificate, !certificate.isSelfIssued, issuers.count < limit {
      let issuer = authorities[certificate.issuer, default: []].first { authority in
        guard let own = authority.material?.certificate, authority.pin != last?.pin else { return false }
        let identifiers = (own.subjectKeyIdentifier, certificate.authorityKeyIdentifier)
        if let subject = identifiers.0, let issuer = identifiers.1, subject != issuer { return false }
        return authority.material?.subject == certificate.issuer
      }
      guard let issuer, let pin = issuer.pin else { return issuers.isEmpty ? [] : issuers + [nil] }
      issuers.append(pin)
      last = issuer.material
    }
    return issuers
  }
}

/// The keys of a policy by their names, as questions name them.
struct KeysByName {
  private let keys: [Policy.Key]
  private let numbers: [String: Int]

  init(_ policy: Policy) {
    keys = policy.keys
    numbers = Dictionary(
      policy.keys.enumerated().map { ($0.element.name.value, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  func has(_ name: String) -> Bool { numbers[name] != nil }

  /// A key and its pin.
  ///
  /// - Throws: ``RotationWorldError/unknownKey(_:known:)``.
  func key(_ name: String) throws(RotationWorldError) -> (key: Policy.Key, pin: Pin) {
    // A key without a pin is an error, so a checked policy has none.
    guard let number = numbers[name], let pin = keys[number].pin else {
      throw .unknownKey(name, known: keys.map(\.name.value))
    }
    return (keys[number], pin)
  }
}
