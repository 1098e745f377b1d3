import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinRules

/// Where in a chain each key is when it is presented, and who certified those that are in between.
///
/// By its `position:`; or else by what its file is, as far as the policy knows the same pin; or else by where evidence
/// shows it. A key of which nothing is known is at the leaf. Who certified a key is what evidence shows; or else what any
/// known certificate says: of key files, `trust:`, releases and evidence.
struct KeyStandings {
  /// By pin; a key's own `position:` counts before it.
  private(set) var known: [Pin: KeyStanding] = [:]

  init(_ policy: Policy, _ assessment: Assessment?, _ certificates: KnownCertificates) {
    for target in assessment?.targets ?? [] {
      for judgement in target.visits.lazy.compactMap(\.served).flatMap(\.judgements) {
        for path in judgement.paths {
          note(path.chain.prefix(path.linked).map { assessment?.certificates[$0]?.pin } + (path.hasEnd ? [] : [nil]))
        }
      }
    }
    // The policy takes precedence over the evidence.
    for key in policy.keys {
      guard let pin = key.pin,
        let position = key.standing
          ?? (key.position?.value == .ca ? .intermediate : key.material == nil ? nil : ChainPosition.leaf)
      else { continue }
      known[pin, default: KeyStanding(position)].position = position
      if key.position?.value == .ca { known[pin]?.isAnyAuthority = true }
    }
    for pin in policy.keys.compactMap(\.pin) {
      guard let standing = known[pin], standing.position == .intermediate, standing.issuers.isEmpty else { continue }
      known[pin]?.issuers = certificates.issuers(of: pin)
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
