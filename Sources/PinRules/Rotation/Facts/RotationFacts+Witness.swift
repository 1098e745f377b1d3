import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinValidator

extension RotationFacts {
  /// The earliest lockout of a group, as the one case that proves it.
  func witness(_ group: LockoutGroup) -> Witness { witness(group.first) }

  func witness(_ lockout: Lockout) -> Witness { Witness(lockout, in: scenario) { names[$0] } }

  /// Why a lockout's clients go away: one clause.
  func reason(of lockout: Lockout) -> String {
    lockout.obstacle.reason(in: scenario.releases[lockout.release].manifest)
  }

  /// A client of the policy that goes on at a host although it is shown keys that nobody knows; nil where it doesn't.
  func admission(host: HostName, port: UInt16?, at instant: Instant) -> Witness? {
    witness(ofRelease: candidate, host: host, port: port, at: instant, shown: PresentedChain([nil]), .admitted)
  }

  /// A client of a release that is shown a chain at a host; nil where something else comes of it than is asked about.
  func witness(
    ofRelease number: Int?, host: HostName, port: UInt16?, at instant: Instant, shown chain: PresentedChain,
    _ outcome: Witness.Outcome
  ) -> Witness? {
    guard let number else { return nil }
    let release = scenario.releases[number]
    let port = port ?? 443
    let verdict: Verdict
    switch release.manifest.govern(host: host.text, port: port, at: instant) {
    case .answered(let answer): verdict = answer
    case .pinned(let entry): verdict = release.manifest.decide(chain, for: entry)
    }
    let isBlocked = if case .block = verdict { true } else { false }
    guard isBlocked == (outcome == .blocked) else { return nil }
    return Witness(
      client: release.name, serial: release.serial, released: "\(release.issued)", kind: nil,
      host: HostLabel.text(host: host, port: port), instant: "\(instant)",
      until: isBlocked ? scenario.run(ofRelease: number).end.map { "\($0)" } : nil, place: nil, chain: links(chain),
      outcome: outcome, reason: release.manifest.reason(for: verdict))
  }

  /// The least chain that a server can present with a key of a policy at the place where it may be.
  func chain(of key: Policy.Key, _ pin: Pin) -> PresentedChain {
    switch key.position?.value {
    case .leaf?, nil: PresentedChain([pin])
    case .intermediate?: PresentedChain([nil, pin, nil])
    case .root?, .ca?: PresentedChain([nil, pin])
    }
  }

  /// The certificates of a chain by what is known of their keys.
  func links(_ chain: PresentedChain?) -> [Witness.Link] {
    chain.map { Witness.Link.links($0) { names[$0] } } ?? []
  }
}
