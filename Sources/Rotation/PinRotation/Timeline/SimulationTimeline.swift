import PinFormat

/// A scenario as it goes by: what happens when, and from when on somebody is locked out.
package struct SimulationTimeline: Sendable {
  package let scenario: Scenario
  package let lockouts: [JudgedLockout]
  package let names: KeyNames
  /// In order of time, from the release of the oldest manifest that some client still runs.
  package let events: [TimelineEvent]
  /// The first lockout that what is played causes, by its place in ``lockouts``; of several at one instant, the first
  /// server's.
  package let first: Int?
  /// The first that is standing whatever is released now.
  package let firstStanding: Int?

  /// Orders what a simulation found and what its parts say of dates.
  package init(
    _ scenario: Scenario, lockouts: [JudgedLockout], certificates: [CertificateSpan] = [], steps: [PlannedStep] = []
  ) {
    self.scenario = scenario
    self.lockouts = lockouts
    names = KeyNames(scenario)
    func earliest(_ isMeant: (JudgedLockout) -> Bool) -> Int? {
      lockouts.indices.filter { isMeant(lockouts[$0]) }
        .min { Self.order(lockouts[$0].lockout) < Self.order(lockouts[$1].lockout) }
    }
    first = earliest(\.isCaused)
    firstStanding = earliest { $0.isStanding && $0.lockout.extent == .every }
    var events = TimelineEvents(scenario, names)
    events.addReleases()
    events.addExpiries()
    events.addServerChanges()
    events.addCertificates(certificates)
    events.addSteps(steps)
    events.addLockouts(lockouts)
    self.events = events.sorted()
  }

  /// Plays a scenario, says what each lockout comes from, and orders it all.
  package init(playing scenario: Scenario, certificates: [CertificateSpan] = [], steps: [PlannedStep] = []) {
    self.init(
      scenario, lockouts: JudgedLockout.all(Simulation(scenario).lockouts(), in: scenario), certificates: certificates,
      steps: steps)
  }

  private static func order(_ lockout: Lockout) -> (Instant, Int, Int, Int) {
    (lockout.begin, lockout.server.number, lockout.release.number, lockout.phase.number)
  }

  /// The servers at which some clients are locked out by what is played, sorted.
  package var affected: [Int] { Set(lockouts.lazy.filter(\.isCaused).map(\.lockout.server.number)).sorted() }

  /// The servers that clients are locked out of already, sorted.
  package var standing: [Int] {
    Set(lockouts.lazy.filter { $0.isStanding && $0.lockout.extent == .every }.map(\.lockout.server.number)).sorted()
  }

  /// The servers at which only a part of what is presented is blocked, sorted.
  package var partly: [Int] {
    let wholly = Set(lockouts.lazy.filter { $0.lockout.extent == .every }.map(\.lockout.server.number))
    return Set(lockouts.lazy.map(\.lockout.server.number)).subtracting(wholly).sorted()
  }
}

/// A lockout, what it comes from, and whether anything that is released now could still change it.
package struct JudgedLockout: Hashable, Sendable {
  package var lockout: Lockout
  package var cause: LockoutCause
  /// True where nothing that is released or planned makes the lockout: ``LockoutCauses/isStanding(_:)``.
  package var isStanding: Bool
  /// True where connections fail anyway, for another reason than pins.
  package var isUnhealthy: Bool

  package init(_ lockout: Lockout, cause: LockoutCause, isStanding: Bool, isUnhealthy: Bool = false) {
    self.lockout = lockout
    self.cause = cause
    self.isStanding = isStanding
    self.isUnhealthy = isUnhealthy
  }

  /// Whether clients are locked out by what is played: wholly, and not already.
  package var isCaused: Bool { !isStanding && lockout.extent == .every }

  /// What each lockout of a scenario comes from.
  package static func all(_ lockouts: [Lockout], in scenario: Scenario) -> [JudgedLockout] {
    let causes = LockoutCauses(scenario)
    return lockouts.map(causes.judged)
  }

  /// The same without what comes from an assumption only.
  package static func known(_ lockouts: [Lockout], in scenario: Scenario) -> [JudgedLockout] {
    let causes = LockoutCauses(scenario)
    return lockouts.map(causes.judged).filter { !causes.isOnlyAssumed($0) }
  }
}

extension LockoutCauses {
  /// Whether a failure of trust evaluation comes from an assumption only, so that it says nothing about the server.
  ///
  /// A server that works presents one of the chains that clients accept, if there is one among those that are assumed. If
  /// clients of the policy accept none of them either, `check` says which key or certificate is the reason.
  package func isOnlyAssumed(_ judged: JudgedLockout) -> Bool {
    let lockout = judged.lockout
    guard judged.isUnhealthy, case .untrusted = judged.cause, lockout.phase.source == .assumed else { return false }
    func accepts(_ release: Int) -> Bool {
      lockout.phase.part.views(ofRelease: release).contains { view in
        view.landings.contains { if case .trusted = $0.trust { true } else { false } }
      }
    }
    guard let candidate = scenario.releases.firstIndex(where: { $0.origin == .candidate }) else { return false }
    return accepts(lockout.release.number) || !accepts(candidate)
  }

  /// What a lockout comes from.
  ///
  /// Where nobody has caused it, and it isn't the known keys of the chain that pins block, it comes from the failure of
  /// trust evaluation.
  package func judged(_ lockout: Lockout) -> JudgedLockout {
    guard isStanding(lockout) else { return JudgedLockout(lockout, cause: cause(of: lockout), isStanding: false) }
    let trust = lockout.landing.trust
    if case .refused(let reason, _, _) = trust, lockout.question == .anything || trust.hasUnknownEnd {
      return JudgedLockout(lockout, cause: .untrusted(reason), isStanding: true, isUnhealthy: true)
    }
    return JudgedLockout(
      lockout, cause: cause(of: lockout), isStanding: true, isUnhealthy: lockout.question == .anything)
  }
}

extension SimulationTimeline {
  /// The most telling events, in order of time, and how many are left out.
  package func digest(_ limit: Int) -> (events: [TimelineEvent], leftOut: Int) {
    guard events.count > limit else { return (events, 0) }
    let kept = events.indices
      .sorted { (events[$0].kind.weight, $0) < (events[$1].kind.weight, $1) }
      .prefix(limit).sorted()
    return (kept.map { events[$0] }, events.count - kept.count)
  }
}

extension TimelineEvent.Kind {
  /// How readily an event is left out where there are too many: the smallest last.
  fileprivate var weight: Int {
    switch self {
    case .lockoutBegins(let blocked): blocked.extent == .every && !blocked.isStanding ? 0 : 1
    case .lockoutEnds: 2
    case .release, .lastClientGone, .manifestExpires: 3
    case .keyStep, .serversChange: 4
    case .entriesExpire, .exceptionsEnd: 5
    case .certificateEnds(let role, _): role == .leaf ? 7 : 6
    }
  }
}
