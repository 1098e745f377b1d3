import PinFormat

extension Oracle {
  /// Whether it would be so at its first tick also without what isn't released yet, and without what is planned.
  ///
  /// Takes back later releases that aren't out, one by one, and planned changes, one by one, in every combination, and
  /// asks each time the same about those clients: where they aren't locked out in one of these worlds, something made
  /// it. Of clients of what isn't out yet, those of the newest that is out mustn't get through now either.
  func isStanding(_ lockout: PlainLockout) -> Bool {
    let server = world.servers[lockout.server]
    let out = world.releases.indices.filter { world.releases[$0].origin == .released }
    guard let newest = out.last else { return false }
    let phase = server.phases[lockout.phase]
    if mistake == .plansNeverStand, phase.source == .planned || phase.source == .afterLoss { return false }
    let entry = entry(of: world.releases[lockout.release], server)
    if mistake == .unpinnedNeverStands, entry == nil || entry?.mode == .off { return false }
    var releases = [lockout.release]
    while let last = releases.last, !out.contains(last) { releases.append(last - 1) }
    var phases = [lockout.phase]
    while let last = phases.last, [.planned, .afterLoss].contains(server.phases[last].source) {
      guard last > 0 else { return false }
      phases.append(last - 1)
    }
    guard let known = phases.last else { return false }
    // For any kind of client: the chain of one shows how much is known about the server.
    let views = phase.views + server.phases[known].views
    let isOpen = views.contains { $0.landings.contains(where: \.hasUnknownEnd) }
    if isOpen, mistake != .unknownEndsStand {
      if phases.count > 1 || (releases.count > 1 && !saysTheSame(lockout.release, newest, server)) { return false }
    }
    let kind = phase.views[lockout.view].kind
    func alike(_ phaseNumber: Int) -> [PlainView] {
      let others = server.phases[phaseNumber].views
      if others.indices.contains(lockout.view), others[lockout.view].kind == kind { return [others[lockout.view]] }
      let like = others.filter { $0.kind == kind }
      return like.isEmpty && kind == nil ? others : like
    }
    /// What a landing was made of: chains that had the same leaf, or the same above it; or any.
    func origins(_ own: PlainLanding, _ view: PlainView) -> [PlainLanding] {
      let origins = view.landings.filter { other in
        own.keys[0] != 0 && other.keys[0] == own.keys[0]
          || other.keys.dropFirst() == own.keys.dropFirst()
      }
      return origins.isEmpty ? view.landings : origins
    }
    if phase.source == .assumed, let number = lockout.landing {
      let chains = phase.views[lockout.view].landings.map(\.keys)
      if !isListed(chains[number], among: chains, newest, server) { return false }
    }
    // A change that comes at once leaves no time at which what is assumed counts by itself.
    if phase.source == .planned, server.phases[known].source == .assumed, let number = lockout.landing,
      server.phases[known + 1].begin <= world.now, world.releases.contains(where: { $0.origin == .candidate })
    {
      for view in server.phases[known].views {
        let chains = view.landings.map(\.keys)
        let made = origins(phase.views[lockout.view].landings[number], view)
        if !made.allSatisfy({ isListed($0.keys, among: chains, newest, server) }) { return false }
      }
    }
    if releases.count > 1, lockout.isByClock, mistake != .clocksStand { return false }
    if !lockout.isByPins, phases.count > 1 {
      let before = server.phases[known].views.flatMap(\.landings)
      for case .refused(let keys) in phase.views[lockout.view].landings where !before.contains(.refused(keys)) {
        return false
      }
    }
    func isLockedOut(
      _ release: Int, _ phaseNumber: Int, at tick: Int, _ question: Question, isLasting: Bool = false
    ) -> Bool {
      if release == lockout.release, phaseNumber == lockout.phase { return true }
      let views = alike(phaseNumber)
      return !views.isEmpty
        && views.allSatisfy { view in
          func isBlocked(_ landing: PlainLanding) -> Bool {
            self.isBlocked(release, server, landing, at: tick, question, isLasting: isLasting)
          }
          if let landing = lockout.landing {
            let own = phase.views[lockout.view].landings[landing]
            if phaseNumber == lockout.phase { return isBlocked(own) }
            return !view.landings.isEmpty && origins(own, view).allSatisfy(isBlocked)
          }
          let blocked = view.landings.filter(isBlocked)
          return lockout.isEvery ? blocked.count == view.landings.count && !blocked.isEmpty : !blocked.isEmpty
        }
    }
    for release in releases {
      let isLasting = release == newest && releases.count > 1
      for phaseNumber in phases {
        let question: Question = lockout.isByPins ? .pins : .anything
        let isLasting = isLasting && mistake != .staleExcuses
        if !isLockedOut(release, phaseNumber, at: lockout.begin, question, isLasting: isLasting) { return false }
      }
    }
    return releases.count == 1 || isLockedOut(newest, known, at: world.now, .anything)
  }

  /// Whether two releases decide about every chain of a host alike, apart from dates.
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
  /// Each key of it is active there, or a backup if the entry has no active key; of an entry that asks for a pair, if no
  /// chain has an active key in that half. Where nobody lists any key now, anything may be; so may a key that no release
  /// lists at all, such as an issuer's.
  private func isListed(_ chain: [Int], among chains: [[Int]], _ newest: Int, _ server: PlainServer) -> Bool {
    if (newest..<world.releases.count).allSatisfy({ keys($0, server).isEmpty }) { return true }
    let anywhere = Set(world.releases.indices.flatMap { keys($0, server).map(\.number) })
    let chain = chain.map { anywhere.contains($0) ? $0 : 0 }
    let listed = keys(newest, server)
    let active = listed.filter { !$0.isBackup }.map(\.number)
    if mistake == .oneOfAPairIsEnough { return chain.allSatisfy { $0 == 0 } || chain.contains(where: active.contains) }
    if entry(of: world.releases[newest], server)?.requirement != .leafAndCA, mistake != .halvesAreListedApart {
      let others = chain.filter { $0 != 0 && !active.contains($0) }
      return others.allSatisfy { key in active.isEmpty && listed.contains { $0.number == key } }
    }
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
