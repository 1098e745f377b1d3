import PinFormat
import PinRotation
import PinRules
import PinValidator

/// Asks releases, and the validator, what they make of chains that servers may come to present.
struct FutureTrials {
  /// A chain of which it is known what it may be.
  struct Trial {
    var leaf: Pin?
    /// One of these is above the leaf.
    var above: [[Pin?]]
    /// Whether any active leaf key of the host may be there instead: it may be presented under any authority.
    var choosesLeaf = false
    /// Whether any active authority of the host may be there instead.
    var choosesAuthority = false
  }

  /// The active keys of a set, by where they are in a chain.
  private struct ActiveKeys {
    var leaves: [Pin] = []
    var authorities: [StandingKey] = []
  }

  private struct SetPlace: Hashable {
    var release: Int
    var keySet: Int
  }

  private let scenario: Scenario
  private var sets: [SetPlace: ActiveKeys] = [:]

  init(_ scenario: Scenario) {
    self.scenario = scenario
  }

  /// The best outcome of a trial, with whether an authority's key can still be chosen.
  ///
  /// A failure of trust evaluation counts only if the chain in whose place the other ones come doesn't have it.
  mutating func outcome(
    of trial: Trial, inPlaceOf present: Landing, at number: Int, ofRelease release: Int, on instant: Instant,
    choosing isChoice: (Pin) -> Bool
  ) -> FutureOutcome {
    let server = scenario.servers[number]
    var (leaves, above) = ([trial.leaf], trial.above)
    if trial.choosesLeaf || trial.choosesAuthority, let active = activeKeys(ofRelease: release, at: server) {
      if trial.choosesLeaf { leaves += active.leaves }
      if trial.choosesAuthority {
        above += active.authorities.filter { $0.pin.map(isChoice) ?? false }.map(\.above)
      }
    }
    let chains = leaves.flatMap { leaf in above.map { PresentedChain([leaf] + $0) } }
    func failuresOf(_ chain: PresentedChain) -> Set<TrustFailure.Code> {
      let trust = scenario.judge.trust(
        in: chain, present.setup, at: server.host, server.port, byRelease: release, without: [], on: instant)
      return if case .refused(_, _, let failures) = trust { Set(failures.map(\.code)) } else { [] }
    }
    return scenario.releases[release].outcome(of: chains, at: server, on: instant) { chain in
      let failures = failuresOf(chain)
      return failures.isEmpty || failures.isSubset(of: failuresOf(present.trust.chain))
    }
  }

  private mutating func activeKeys(ofRelease number: Int, at server: Server) -> ActiveKeys? {
    let manifest = scenario.releases[number].manifest
    guard let entry = manifest.entry(at: HostPort(server.host, server.port)),
      let keySet = manifest.tables.hosts[entry].keySet
    else { return nil }
    let place = SetPlace(release: number, keySet: keySet)
    if let made = sets[place] { return made }
    var active = ActiveKeys()
    for key in manifest.entryKeys(host: server.host.text, port: server.port) where !key.isBackup {
      let standing = StandingKey("", key.pin, position: key.position, among: scenario.standings)
      if standing.position == .leaf { active.leaves.append(key.pin) } else { active.authorities.append(standing) }
    }
    sets[place] = active
    return active
  }
}
