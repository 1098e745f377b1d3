import PinFormat
import PinValidator

extension LockoutCauses {
  /// Whether a lockout would be there all the same, had nothing more been released and planned.
  ///
  /// Judged at its first instant, for the same kind of client. Of a release that is out, it stands where the clients
  /// are locked out also if the planned changes of the server up to then are taken back, the last or all of them. Of
  /// one that isn't out it stands where that holds also for the clients of every release from the newest that is out
  /// up to it: so neither this release, nor one before it, nor a planned change mends or makes the lockout. The clients
  /// of the newest that is out must then be locked out at the scenario's now as well: a clock that runs out later is one
  /// that this release could have moved on.
  ///
  /// Where it is only assumed what a server presents, the key must also be one that the newest release lists as
  /// active: what only the policy lists is the policy's doing. Without a release that is out, nothing stands.
  package func isStanding(_ lockout: Lockout) -> Bool {
    guard let newest = scenario.releases.lastIndex(where: { $0.origin == .released }) else { return false }
    let server = scenario.servers[lockout.server]
    let known = (0...lockout.phase).last { !server.phases[$0].source.isPlan }
    guard let known else { return false }
    if server.phases[lockout.phase].source == .assumed, !isActive(lockout, in: newest) { return false }
    for release in min(newest, lockout.release)...lockout.release {
      for phase in known...lockout.phase where !isLockedOut(release, phase, like: lockout, at: lockout.begin) {
        return false
      }
    }
    return lockout.release <= newest || isLockedOut(newest, known, like: lockout, at: scenario.now)
  }

  /// Whether the clients of a release would be locked out, as the lockout's are, of what a phase presents.
  private func isLockedOut(
    _ number: Int, _ phaseNumber: Int, like lockout: Lockout, at instant: Instant
  ) -> Bool {
    if number == lockout.release, phaseNumber == lockout.phase { return true }
    let server = scenario.servers[lockout.server]
    let manifest = scenario.releases[number].manifest
    let phase = server.phases[phaseNumber]
    let governance = manifest.govern(host: server.host.text, port: server.port, at: instant)
    let own = server.phases[lockout.phase].views(ofRelease: lockout.release)[lockout.view]
    guard let view = phase.view(ofRelease: number, like: own, number: lockout.view) else { return false }
    func isBlocked(_ landing: Landing) -> Bool {
      manifest.obstacle(landing, governance, at: instant) != nil
    }
    guard phase.source != .assumed || phaseNumber != lockout.phase else {
      let landing = view.landing(like: own.landings[lockout.landing], number: lockout.landing)
      return landing.map(isBlocked) ?? false
    }
    switch lockout.extent {
    case .every: return !view.landings.isEmpty && view.landings.allSatisfy(isBlocked)
    case .some: return view.landings.contains(where: isBlocked)
    }
  }

  /// Whether a release lists a key of the chain that the lockout names among the active ones.
  private func isActive(_ lockout: Lockout, in release: Int) -> Bool {
    let server = scenario.servers[lockout.server]
    let view = server.phases[lockout.phase].views(ofRelease: lockout.release)[lockout.view]
    guard case .trusted(let chain, _) = view.landings[lockout.landing].trust else { return true }
    let keys = scenario.releases[release].manifest.entryKeys(host: server.host.text, port: server.port)
    return keys.contains { !$0.isBackup && chain.pins.contains($0.pin) }
  }
}

extension ServerPhase.Source {
  /// Whether it is something that somebody planned or asked about, rather than what is so.
  fileprivate var isPlan: Bool {
    switch self {
    case .planned, .afterLoss: true
    case .observed, .assumed: false
    }
  }
}

extension ServerPhase {
  /// What a release's clients of the same kind are shown.
  fileprivate func view(ofRelease release: Int, like view: ClientView, number: Int) -> ClientView? {
    let views = views(ofRelease: release)
    if views.indices.contains(number), views[number].kind == view.kind { return views[number] }
    return views.first { $0.kind == view.kind }
  }
}
