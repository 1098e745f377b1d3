import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy
import PinRules

/// Where in a chain each key stands when it is presented.
///
/// By its `position:`; or else by what its file is, as far as the policy knows the same pin; or else by where evidence
/// shows it. A key of which nothing is known stands at the leaf.
struct KeyStandings {
  private var known: [Pin: ChainPosition] = [:]

  init(_ policy: Policy, _ assessment: Assessment?) {
    for target in assessment?.targets ?? [] {
      for judgement in target.visits.lazy.compactMap(\.served).flatMap(\.judgements) {
        for path in judgement.paths where path.failures.isEmpty {
          for (place, fingerprint) in path.chain.enumerated() {
            guard let pin = assessment?.certificates[fingerprint]?.pin, known[pin] == nil else { continue }
            known[pin] = place == 0 ? .leaf : place == path.chain.count - 1 ? .root : .intermediate
          }
        }
      }
    }
    // What the policy says counts before what was seen.
    for key in policy.keys {
      guard let pin = key.pin else { continue }
      if let standing = key.standing {
        known[pin] = standing
      } else if key.position?.value == .ca {
        known[pin] = .intermediate
      } else if key.material != nil {
        known[pin] = .leaf
      }
    }
  }

  /// The standing of a key that a manifest or the policy holds to a position, or to none.
  func standing(of pin: Pin, position: ChainPosition?) -> ChainPosition { position ?? known[pin] ?? .leaf }
}
