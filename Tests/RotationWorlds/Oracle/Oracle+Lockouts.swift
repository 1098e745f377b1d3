import PinFormat

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
  /// Whether pins alone do it.
  package var isByPins: Bool
  package var begin: Int
  /// Nil for the end of the world.
  package var end: Int?
  package var isStanding: Bool

  package init(
    server: Int, release: Int, phase: Int, view: Int, landing: Int?, isEvery: Bool, isByPins: Bool = true, begin: Int,
    end: Int?, isStanding: Bool
  ) {
    self.server = server
    self.release = release
    self.phase = phase
    self.view = view
    self.landing = landing
    self.isEvery = isEvery
    self.isByPins = isByPins
    self.begin = begin
    self.end = end
    self.isStanding = isStanding
  }

  package var description: String {
    "server \(server), release \(release), phase \(phase), view \(view), landing \(landing.map { "\($0)" } ?? "any"), "
      + "\(isEvery ? "every" : "some")\(isByPins ? "" : ", by more than pins"), from \(begin) to \(end.map { "\($0)" } ?? "the end")"
      + (isStanding ? ", standing" : "")
  }

  package static func < (left: PlainLockout, right: PlainLockout) -> Bool {
    left.order.lexicographicallyPrecedes(right.order)
  }

  private var order: [Int] { [server, release, phase, begin, view, landing ?? -1, isByPins ? 0 : 1] }
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
          func blocked(_ question: Question) -> [Int] {
            view.landings.indices.filter { isBlocked(release, server, view.landings[$0], at: tick, question) }
          }
          let byPins = blocked(.pins)
          let byAnything = blocked(.anything)
          func add(_ landing: Int?, isEvery: Bool, isByPins: Bool) {
            found.insert(
              PlainLockout(
                server: serverNumber, release: release, phase: phase, view: viewNumber, landing: landing,
                isEvery: isEvery, isByPins: isByPins, begin: 0, end: nil, isStanding: false))
          }
          if isUncertain(server.phases[phase]) {
            for landing in view.landings.indices {
              if byPins.contains(landing) {
                add(landing, isEvery: true, isByPins: true)
              } else if byAnything.contains(landing) {
                add(landing, isEvery: true, isByPins: false)
              }
            }
            continue
          }
          let all = view.landings.count
          let isEvery = byPins.count == all || byAnything.count == all || mistake == .anyLandingLocksOut
          let isByPins = isEvery && byAnything.count == all ? byPins.count == all : !byPins.isEmpty
          if all > 0, !byPins.isEmpty || !byAnything.isEmpty { add(nil, isEvery: isEvery, isByPins: isByPins) }
        }
      }
    }
    return found
  }

  private func isUncertain(_ phase: PlainPhase) -> Bool {
    phase.isUncertain && (phase.source == .assumed || mistake != .plansMakeCertain)
  }

  /// Whether it would be so at its first tick also without what isn't released yet, and without what is planned.
  ///
  /// Takes back later releases that aren't out, one by one, and planned changes, one by one, in every combination, and
  /// asks each time the same about those clients: where they aren't locked out in one of these worlds, something made
  /// it. Of clients of what isn't out yet, those of the newest that is out mustn't get through now either.
  private func isStanding(_ lockout: PlainLockout) -> Bool {
    let server = world.servers[lockout.server]
    let out = world.releases.indices.filter { world.releases[$0].origin == .released }
    guard let newest = out.last else { return false }
    let phase = server.phases[lockout.phase]
    if mistake == .plansNeverStand, phase.source == .planned || phase.source == .afterLoss { return false }
    var releases = [lockout.release]
    while let last = releases.last, !out.contains(last) { releases.append(last - 1) }
    var phases = [lockout.phase]
    while let last = phases.last, [.planned, .afterLoss].contains(server.phases[last].source) {
      guard last > 0 else { return false }
      phases.append(last - 1)
    }
    guard let known = phases.last else { return false }
    let views = [phase.views[lockout.view]] + server.phases[known].views
    let isOpen = views.contains {
      $0.landings.contains { if case .refused(let keys) = $0 { keys.last == 0 } else { false } }
    }
    if isOpen, mistake != .unknownEndsStand {
      if phases.count > 1 || (releases.count > 1 && !saysTheSame(lockout.release, newest, server)) { return false }
    }
    if phase.source == .assumed, let landing = lockout.landing {
      let chains = phase.views[lockout.view].landings.map(\.keys)
      if !isListed(chains[landing], among: chains, newest, server) { return false }
    }
    if releases.count > 1, !isByNobody(lockout, newest) { return false }
    func isLockedOut(_ release: Int, _ phaseNumber: Int, at tick: Int, _ question: Question) -> Bool {
      if release == lockout.release, phaseNumber == lockout.phase { return true }
      let kind = phase.views[lockout.view].kind
      let others = server.phases[phaseNumber].views
      var views =
        others.indices.contains(lockout.view) && others[lockout.view].kind == kind ? [others[lockout.view]] : []
      if views.isEmpty { views = others.filter { $0.kind == kind } }
      if views.isEmpty, kind == nil { views = others }
      return !views.isEmpty
        && views.allSatisfy { view in
          func isBlocked(_ landing: PlainLanding) -> Bool {
            self.isBlocked(release, server, landing, at: tick, question)
          }
          if let landing = lockout.landing {
            let own = phase.views[lockout.view].landings[landing]
            if phaseNumber == lockout.phase { return isBlocked(own) }
            // What it was made of: chains that had the same leaf, or the same above it.
            let origins = view.landings.filter { other in
              own.keys[0] != 0 && other.keys[0] == own.keys[0]
                || own.keys.count > 1 && other.keys.dropFirst() == own.keys.dropFirst()
            }
            return !view.landings.isEmpty && (origins.isEmpty ? view.landings : origins).allSatisfy(isBlocked)
          }
          let blocked = view.landings.filter(isBlocked)
          return lockout.isEvery ? blocked.count == view.landings.count && !blocked.isEmpty : !blocked.isEmpty
        }
    }
    for release in releases {
      let isLasting = release == newest && releases.count > 1
      for phaseNumber in phases {
        let question: Question =
          !lockout.isByPins ? .anything : isLasting && mistake != .staleExcuses ? .lastingPins : .pins
        if !isLockedOut(release, phaseNumber, at: lockout.begin, question) { return false }
      }
    }
    return releases.count == 1 || isLockedOut(newest, known, at: world.now, .anything)
  }

  /// Of a release that isn't out: whether neither a clock of its own does it, nor trust that only it evaluates so.
  private func isByNobody(_ lockout: PlainLockout, _ newest: Int) -> Bool {
    let server = world.servers[lockout.server]
    let release = world.releases[lockout.release]
    if mistake != .clocksStand, let entry = entry(of: release, server), entry.mode != .off {
      let entryAction = entry.expires.flatMap { lockout.begin >= $0 ? entry.onExpiry : nil }
      let staleAction = release.expires.flatMap { lockout.begin >= $0 ? release.onStale : nil }
      let actions = [entryAction, staleAction]
      if actions.contains(.block) || (actions.contains(.unpinned) && release.deniesUnpinned) { return false }
    }
    guard !lockout.isByPins else { return true }
    // What is refused is refused to all here; but an exception ends on the release's own date.
    let landings = server.phases[lockout.phase].views[lockout.view].landings
    return !(lockout.landing.map { [landings[$0]] } ?? landings).contains { landing in
      if case .chain(_, let until?) = landing { lockout.begin >= until } else { false }
    }
  }

  /// Whether two releases decide about every chain of a host alike, but for dates.
  private func saysTheSame(_ left: Int, _ right: Int, _ server: PlainServer) -> Bool {
    func says(_ number: Int) -> [AnyHashable] {
      let release = world.releases[number]
      let denied = Set(release.denied)
      guard let entry = entry(of: release, server), entry.mode != .off else { return [denied, release.deniesUnpinned] }
      let keys = Set(entry.keys.map { PlainKey($0.number, $0.position) })
      return [denied, release.deniesUnpinned, entry.mode, entry.requirement, keys]
    }
    return says(left) == says(right)
  }

  /// Whether the newest release that is out says that a chain may be presented.
  ///
  /// Each key of it is active there, or a backup where no chain has an active key in that half. Where nobody lists any key now, anything may be.
  private func isListed(_ chain: [Int], among chains: [[Int]], _ newest: Int, _ server: PlainServer) -> Bool {
    if (newest..<world.releases.count).allSatisfy({ keys($0, server).isEmpty }) { return true }
    let listed = keys(newest, server)
    let active = listed.filter { !$0.isBackup }.map(\.number)
    if mistake == .oneOfAPairIsEnough { return chain.allSatisfy { $0 == 0 } || chain.contains(where: active.contains) }
    for half in [0..<1, 1..<8] {
      let needed = chain[half.clamped(to: 0..<chain.count)].filter { $0 != 0 && !active.contains($0) }
      if needed.contains(where: { key in !listed.contains { $0.number == key } }) { return false }
      let isActive = chains.contains { other in
        other[half.clamped(to: 0..<other.count)].contains(where: active.contains)
      }
      if !needed.isEmpty, isActive { return false }
    }
    return true
  }
}
