import PinFormat
import PinValidator

extension LockoutCauses {
  /// Whether there would be a lockout even if nothing more were released and planned.
  ///
  /// Like is compared with like: what was asked of the chains is asked again, for the same kind of client. Of a release
  /// that is out, a lockout is standing if it exists even when the planned changes of the server up to then are
  /// taken back, the last or all of them. Of one that isn't out, it is where that holds also for the clients of every
  /// release from the newest that is out up to it, and the newest's don't get through now either. The ends of the
  /// newest release and of its entries excuse nothing there: they are moved on in minutes.
  ///
  /// Whatever else is so, what isn't out yet answers for a clock that blocks, since it says when; and for a failure of
  /// trust evaluation, unless the newest release's clients have one at the same landings. Of a chain that leads to no
  /// known end, and of one that is only assumed, there is no more to go by than what releases say: see the two
  /// functions that ask it. Without a release that is out, nothing is.
  package func isStanding(_ lockout: Lockout) -> Bool {
    guard let newest = scenario.releases.lastIndex(where: { $0.origin == .released }) else { return false }
    let known = (0...lockout.phase.number).last { !lockout.server.phases[$0].source.isPlan }
    guard let known, stands(lockout, known: known, newest), isListed(lockout, known: known, in: newest) else {
      return false
    }
    let isOut = lockout.release.number <= newest
    if !isOut, lockout.isByClock || !failsAnyway(lockout, in: newest) { return false }
    if known != lockout.phase.number, plansFailure(lockout, known: known) { return false }
    for release in min(newest, lockout.release.number)...lockout.release.number {
      for phase in known...lockout.phase.number
      where !isLockedOut(release, phase, like: lockout, at: lockout.begin, isLasting: release == newest && !isOut) {
        return false
      }
    }
    return isOut || isLockedOut(newest, known, like: lockout, at: scenario.now, .anything)
  }

  /// Whether it is known well enough what the server presents: a chain without a known end is standing only where
  /// nothing is planned, and releases that aren't out say the same of the host as the newest.
  private func stands(_ lockout: Lockout, known: Int, _ newest: Int) -> Bool {
    let phases = [lockout.server.phases[known], lockout.phase.part]
    let views = phases.map { $0.views(ofRelease: lockout.release.number) }
    guard views.joined().contains(where: { $0.landings.contains(where: \.trust.hasUnknownEnd) }) else { return true }
    guard known == lockout.phase.number else { return false }
    return lockout.release.number <= newest
      || lockout.release.part.saysTheSame(as: scenario.releases[newest], of: lockout.server.part)
  }

  /// Whether what trust evaluation fails for is nobody's doing: the clients of the newest release have the same failures
  /// at the same landings.
  private func failsAnyway(_ lockout: Lockout, in newest: Int) -> Bool {
    guard lockout.question == .anything else { return true }
    let landings = lockout.view.landings
    let own = lockout.phase.isUncertain ? [lockout.landing] : landings.indices.map { Numbered($0, of: landings) }
    let views = lockout.phase.part.views(ofRelease: newest, like: lockout.view)
    return own.allSatisfy { landing in
      switch landing.trust {
      case .trusted: return true
      case .refused(_, _, let failures):
        let like = views.flatMap { $0.landings(like: landing) }
        return !like.isEmpty
          && like.allSatisfy { landing in
            if case .refused(_, _, let theirs) = landing.trust { failures.isSubset(of: theirs) } else { false }
          }
      }
    }
  }

  /// Whether a planned chain fails trust evaluation for what none fails for that is presented now.
  private func plansFailure(_ lockout: Lockout, known: Int) -> Bool {
    guard lockout.question == .anything else { return false }
    let views = lockout.server.phases[known].views(ofRelease: lockout.release.number)
    let before = views.flatMap(\.landings).map(\.trust)
    return lockout.view.landings.contains { landing in
      guard let faults = landing.trust.faults else { return false }
      return !before.contains {
        $0 == landing.trust || !faults.isEmpty && $0.faults?.isSuperset(of: faults) ?? false
      }
    }
  }

  /// Whether the clients of a release would be locked out, as the lockout's are, of what a phase presents.
  ///
  /// What was asked about the lockout is asked, unless a question is given. If it is lasting, neither the release nor its
  /// entries have an end.
  private func isLockedOut(
    _ number: Int, _ phaseNumber: Int, like lockout: Lockout, at instant: Instant,
    _ question: Lockout.Question? = nil, isLasting: Bool = false
  ) -> Bool {
    let isSame = phaseNumber == lockout.phase.number
    if number == lockout.release.number, isSame { return true }
    let server = lockout.server.part
    let release = scenario.releases[number]
    let question = question ?? lockout.question
    let governance =
      isLasting
      ? release.lastingGovernance(of: server, at: instant) : release.governance(of: server, at: instant, question)
    func isBlocked(_ landing: Landing) -> Bool {
      release.manifest.obstacle(landing, governance, at: instant, question) != nil
    }
    let views = server.phases[phaseNumber].views(ofRelease: number, like: lockout.view)
    return !views.isEmpty
      && views.allSatisfy { view in
        if lockout.phase.isUncertain {
          let like = isSame ? view.landings(like: lockout.landing) : view.origins(of: lockout.landing.part)
          return !like.isEmpty && like.allSatisfy(isBlocked)
        }
        switch lockout.extent {
        case .every: return !view.landings.isEmpty && view.landings.allSatisfy(isBlocked)
        case .some: return view.landings.contains(where: isBlocked)
        }
      }
  }

  /// Whether the newest release lists what only is assumed to be presented, or was before a planned change: what the
  /// policy alone lists is its doing.
  ///
  /// A server's certificate that a later release names in `certificate:` has to be named there. Each key of the chain that
  /// a release lists has to be listed as active there. A backup counts as well where the entry has no active key
  /// that is presented in its place: of an entry that asks for a leaf and an authority, none in the same half of the
  /// chains; of any other, none at all, wherever keys stand. Where neither the newest release nor a later one pins the
  /// host, they list nothing.
  private func isListed(_ lockout: Lockout, known: Int, in newest: Int) -> Bool {
    let server = lockout.server.part
    guard server.phases[known].source == .assumed else { return true }
    // What is assumed of now is judged by itself, unless a change comes at once; a plan may change it without harm.
    let isReplaced =
      known != lockout.phase.number && server.phases[known + 1].begin <= scenario.now
      && scenario.releases.contains { $0.origin == .candidate }
    guard known == lockout.phase.number || isReplaced else { return true }
    func keys(_ release: Int) -> [EntryKey] {
      scenario.releases[release].manifest.entryKeys(host: server.host.text, port: server.port)
    }
    let ofAll = scenario.releases.indices.map(keys)
    guard ofAll[newest...].contains(where: { !$0.isEmpty }) else { return true }
    let anywhere = Set(ofAll.joined().map(\.pin))
    let listed = ofAll[newest]
    let active = Set(listed.filter { !$0.isBackup }.map(\.pin))
    let all = Set(listed.map(\.pin))
    let landing = lockout.landing.part
    let landings =
      known == lockout.phase.number
      ? lockout.view.landings : server.phases[known].views(ofRelease: lockout.release.number).flatMap(\.landings)
    let asked = known == lockout.phase.number ? [landing] : ClientView(landings: landings).origins(of: landing)
    let trusts = scenario.releases[newest...].map { $0.manifest.trust(of: server) }
    let isNamed = asked.allSatisfy { landing in
      guard let leaf = landing.setup.leaf, trusts[0]?.names(leaf) != true else { return true }
      return !trusts.contains { $0?.certificate == leaf }
    }
    guard isNamed else { return false }
    func isListed(_ pins: some Sequence<Pin?>, hasActive: Bool) -> Bool {
      pins.allSatisfy { pin in
        guard let pin, anywhere.contains(pin), !active.contains(pin) else { return true }
        return all.contains(pin) && !hasActive
      }
    }
    let wantsPair = scenario.releases[newest].manifest.wantsPair(of: server)
    func isActive(_ pin: Pin?) -> Bool { pin.map(active.contains) ?? false }
    let chains = landings.map(\.trust.chain.pins)
    return asked.map(\.trust.chain.pins).allSatisfy { pins in
      guard wantsPair else { return isListed(pins, hasActive: !active.isEmpty) }
      return isListed(pins.prefix(1), hasActive: chains.contains { isActive($0[0]) })
        && isListed(pins.dropFirst(), hasActive: chains.contains { $0.dropFirst().contains(where: isActive) })
    }
  }
}

extension Manifest.Trust {
  /// Whether it says that a server presents a certificate.
  fileprivate func names(_ leaf: SHA256Digest) -> Bool {
    certificate == leaf || exceptions.contains { $0.certificate == leaf }
  }
}

extension Lockout.Obstacle {
  /// Whether a clock of a manifest, an entry or an exception has run out.
  var isClock: Bool {
    switch self {
    case .verdict(.expired), .verdict(.unpinnedHost(.expired)), .exceptionEnded: true
    case .verdict, .untrusted: false
    }
  }
}

extension Landing.Trust {
  fileprivate struct Fault: Hashable {
    var code: TrustFailure.Code
    /// Another authority has another certificate, so only the leaf is compared as such.
    var isOfLeaf: Bool
  }

  /// What trust evaluation fails for; nil where it doesn't.
  fileprivate var faults: Set<Fault>? {
    guard case .refused(_, _, let failures) = self else { return nil }
    return Set(failures.map { Fault(code: $0.code, isOfLeaf: $0.certificate == 0) })
  }
}

extension ServerPhase.Source {
  /// Whether it is something that somebody planned or asked about, rather than what is so.
  var isPlan: Bool {
    switch self {
    case .planned, .afterLoss: true
    case .observed, .assumed: false
    }
  }
}

extension ClientView {
  /// The landing with the same chain, by its number where there are several; or, where trust evaluation makes another
  /// chain of it, those with the same leaf.
  fileprivate func landings(like landing: Numbered<Landing>) -> [Landing] {
    let chain = landing.shown
    if landings.indices.contains(landing.number), landings[landing.number].shown == chain {
      return [landings[landing.number]]
    }
    let same = landings.filter { $0.shown == chain }
    guard same.isEmpty, let leaf = chain.pins.first.flatMap(\.self) else { return same }
    return landings.filter { $0.trust.chain.pins.first == leaf }
  }

  /// The landings that a planned change made this one of: those that have its leaf, or all that is above; else any.
  fileprivate func origins(of landing: Landing) -> [Landing] {
    let pins = landing.trust.chain.pins
    let origins = landings.filter { origin in
      let own = origin.trust.chain.pins
      return (own[0] != nil && own[0] == pins[0]) || own.dropFirst() == pins.dropFirst()
    }
    return origins.isEmpty ? landings : origins
  }
}

extension ServerPhase {
  /// What a release's clients of the same kind are shown; what all are shown, where the kinds have become one.
  fileprivate func views(ofRelease release: Int, like view: Numbered<ClientView>) -> [ClientView] {
    let views = views(ofRelease: release)
    if views.indices.contains(view.number), views[view.number].kind == view.kind { return [views[view.number]] }
    let like = views.filter { $0.kind == view.kind }
    return view.kind == nil && like.isEmpty ? views : like
  }
}
