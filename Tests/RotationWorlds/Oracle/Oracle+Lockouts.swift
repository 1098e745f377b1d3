/// A lockout as both sides are compared by.
package struct PlainLockout: Hashable, Sendable, Comparable, CustomStringConvertible {
  package var server: Int
  package var release: Int
  package var phase: Int
  package var view: Int
  /// The chain, where it is only assumed what is presented.
  package var landing: Int?
  /// Whether every chain is blocked.
  package var isEvery: Bool
  package var begin: Int
  /// Nil for the end of the world.
  package var end: Int?
  package var isStanding: Bool

  package init(
    server: Int, release: Int, phase: Int, view: Int, landing: Int?, isEvery: Bool, begin: Int, end: Int?,
    isStanding: Bool
  ) {
    self.server = server
    self.release = release
    self.phase = phase
    self.view = view
    self.landing = landing
    self.isEvery = isEvery
    self.begin = begin
    self.end = end
    self.isStanding = isStanding
  }

  package var description: String {
    "server \(server), release \(release), phase \(phase), view \(view), landing \(landing.map { "\($0)" } ?? "any"), "
      + "\(isEvery ? "every" : "some"), from \(begin) to \(end.map { "\($0)" } ?? "the end")"
      + (isStanding ? ", standing" : "")
  }

  package static func < (left: PlainLockout, right: PlainLockout) -> Bool {
    (left.server, left.release, left.phase, left.begin, left.view, left.landing ?? -1)
      < (right.server, right.release, right.phase, right.begin, right.view, right.landing ?? -1)
  }
}

extension Oracle {
  /// Every lockout, found by looking at each tick.
  package func lockouts() -> [PlainLockout] {
    var found: [PlainLockout] = []
    // What was so at the tick before, and since when.
    var open: [PlainLockout: Int] = [:]
    for tick in world.now..<world.end {
      let now = lockouts(at: tick)
      for (lockout, begin) in open where !now.contains(lockout) {
        found.append(closed(lockout, begin, tick))
      }
      open = Dictionary(uniqueKeysWithValues: now.map { ($0, open[$0] ?? tick) })
    }
    for (lockout, begin) in open { found.append(closed(lockout, begin, nil)) }
    return found.sorted()
  }

  private func closed(_ lockout: PlainLockout, _ begin: Int, _ end: Int?) -> PlainLockout {
    var lockout = lockout
    lockout.begin = begin
    lockout.end = end
    lockout.isStanding = isStanding(lockout)
    return lockout
  }

  /// Who is locked out at one tick, without when it began.
  private func lockouts(at tick: Int) -> Set<PlainLockout> {
    var found: Set<PlainLockout> = []
    for (serverNumber, server) in world.servers.enumerated() {
      guard let phase = phase(of: server, at: tick) else { continue }
      for release in running(at: tick) {
        for (viewNumber, view) in server.phases[phase].views.enumerated() {
          let blocked = view.landings.indices.filter { isBlocked(release, server, view.landings[$0], at: tick) }
          func add(_ landing: Int?, isEvery: Bool) {
            found.insert(
              PlainLockout(
                server: serverNumber, release: release, phase: phase, view: viewNumber, landing: landing,
                isEvery: isEvery, begin: 0, end: nil, isStanding: false))
          }
          if server.phases[phase].source == .assumed {
            for landing in blocked { add(landing, isEvery: true) }
          } else if !blocked.isEmpty {
            add(nil, isEvery: blocked.count == view.landings.count || mistake == .anyLandingLocksOut)
          }
        }
      }
    }
    return found
  }

  /// Whether it would be so at its first tick also without what isn't released yet, and without what is planned.
  ///
  /// Takes back later releases that aren't out, one by one, and planned changes, one by one, in every combination, and
  /// asks each time about those clients: where they aren't locked out in one of these worlds, something made it. Of
  /// clients of what isn't out yet, those of the newest that is out must be locked out now as well.
  private func isStanding(_ lockout: PlainLockout) -> Bool {
    let server = world.servers[lockout.server]
    let out = world.releases.indices.filter { world.releases[$0].origin == .released }
    guard let newest = out.last else { return false }
    let phase = server.phases[lockout.phase]
    let kind = phase.views[lockout.view].kind
    if mistake == .plansNeverStand, phase.source == .planned || phase.source == .afterLoss { return false }
    if phase.source == .assumed, let landing = lockout.landing,
      case .chain(let chain, _) = phase.views[lockout.view].landings[landing]
    {
      let active = keys(newest, server).filter { !$0.isBackup }.map(\.number)
      if !chain.contains(where: active.contains) { return false }
    }
    var releases = [lockout.release]
    while let last = releases.last, !out.contains(last) { releases.append(last - 1) }
    var phases = [lockout.phase]
    while let last = phases.last, [.planned, .afterLoss].contains(server.phases[last].source) {
      guard last > 0 else { return false }
      phases.append(last - 1)
    }
    func isLockedOut(_ release: Int, _ phaseNumber: Int, at tick: Int) -> Bool {
      let views = server.phases[phaseNumber].views
      let view =
        views.indices.contains(lockout.view) && views[lockout.view].kind == kind
        ? views[lockout.view] : views.first { $0.kind == kind }
      guard let view else { return false }
      let blocked = view.landings.indices.filter { isBlocked(release, server, view.landings[$0], at: tick) }
      if let landing = lockout.landing { return blocked.contains(landing) }
      return lockout.isEvery ? blocked.count == view.landings.count && !blocked.isEmpty : !blocked.isEmpty
    }
    for release in releases {
      for phaseNumber in phases where !isLockedOut(release, phaseNumber, at: lockout.begin) { return false }
    }
    // What begins by itself later on could have been mended by what isn't out yet.
    guard lockout.release > newest, let known = phases.last else { return true }
    return isLockedOut(newest, known, at: world.now)
  }
}
