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
    guard let candidate else { return nil }
    let release = scenario.releases[candidate]
    let port = port ?? 443
    let stranger = PresentedChain([nil])
    let verdict: Verdict
    switch release.manifest.govern(host: host.text, port: port, at: instant) {
    case .answered(let answer): verdict = answer
    case .pinned(let entry): verdict = release.manifest.decide(stranger, for: entry)
    }
    if case .block = verdict { return nil }
    return Witness(
      client: release.name, serial: release.serial, released: "\(release.issued)", kind: nil,
      host: HostLabel.text(host: host, port: port), instant: "\(instant)", until: nil, place: nil,
      chain: links(stranger), outcome: .admitted, reason: release.manifest.reason(for: verdict))
  }

  /// The certificates of a chain by what is known of their keys.
  func links(_ chain: PresentedChain?) -> [Witness.Link] {
    chain.map { Witness.Link.links($0) { names[$0] } } ?? []
  }
}
