import OpenSSLKit
import PinPolicy
import PinProbe
import PinValidator

/// What each kind of client answers to a chain that a server presents, by the validator.
struct ServedAnswers {
  /// An answer; without a decision where the limits of the kind decide.
  struct Answer {
    var client: Policy.ClientKind
    var verdict: Verdict
    var decision: Decision?
  }

  private(set) var all: [Answer]

  /// - Parameters:
  ///   - kinds: The kinds of clients that verify chains themselves.
  ///   - seesLeafOnly: Whether there are transports that show only the leaf of a chain that they validated.
  ///   - manifest: What the clients have.
  ///   - entry: The entry that pins the host then; nil where none does.
  ///   - decide: The validator's decision on the whole chain, or for the transport that shows the leaf.
  init(
    of kinds: [Policy.ClientKind], seesLeafOnly: Bool, with manifest: LoadedManifest, by entry: GoverningEntry?,
    _ decide: (TransportValidation) -> Decision
  ) {
    let usual = decide(.stands)
    all = kinds.map { Answer(client: $0, verdict: usual.verdict, decision: usual) }
    if let validated = usual.chain, let entry {
      let path = validated.certificates.compactMap { try? Certificate(der: $0) }
      if !ClientLimits(kinds).failures(of: path).isEmpty {
        for (number, kind) in kinds.enumerated() {
          guard let failure = ClientLimits([kind]).failures(of: path).first else { continue }
          all[number] = Answer(client: kind, verdict: manifest.decide(failure, for: entry), decision: nil)
        }
      }
    }
    guard seesLeafOnly else { return }
    // What such a transport validates itself fails for it as for the others.
    let seen = usual.verdict.context.step == .trust ? usual : decide(.leafOnly)
    all.append(Answer(client: .leafOnly, verdict: seen.verdict, decision: seen))
  }
}
