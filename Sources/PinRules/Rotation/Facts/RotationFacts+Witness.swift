import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinValidator

extension RotationFacts {
  /// The earliest lockout of a group, as the one case that proves it.
  func witness(_ group: LockoutGroup) -> Witness { witness(group.first) }

  func witness(_ lockout: Lockout) -> Witness {
    let release = scenario.releases[lockout.release]
    // What nobody looked at has no address: its landings are the keys that may be there, which the chain says.
    let isSeen = phase(of: lockout).source == .observed
    return Witness(
      client: release.name, serial: release.serial, released: "\(release.issued)", kind: view(of: lockout).kind,
      host: scenario.servers[lockout.server].label, instant: "\(lockout.begin)",
      until: lockout.end.map { "\($0)" }, place: isSeen ? landing(of: lockout).place : nil,
      chain: links(chain(of: lockout)),
      reason: reason(of: lockout))
  }

  /// Why a lockout's clients go away: one clause.
  func reason(of lockout: Lockout) -> String {
    let manifest = scenario.releases[lockout.release].manifest
    switch lockout.obstacle {
    case .verdict(let reason):
      return manifest.reason(for: reason)
    case .untrusted(let reason): return "trust evaluation failed: " + reason
    case .exceptionEnded: return "the exception that excused a failure of trust evaluation has ended"
    }
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
    guard let pins = chain?.pins else { return [] }
    return pins.enumerated().map { number, pin in
      let position: ChainPosition = number == 0 ? .leaf : number == pins.count - 1 ? .root : .intermediate
      return Witness.Link(
        position: position.rawValue, pin: pin.map { "\($0)" }, name: pin.flatMap { names[$0] })
    }
  }
}
