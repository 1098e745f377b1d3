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
    (lockout.begin, lockout.server, lockout.release, lockout.phase)
  }

  /// The servers at which some clients are locked out by what is played, sorted.
  package var affected: [Int] { Set(lockouts.lazy.filter(\.isCaused).map(\.lockout.server)).sorted() }

  /// The servers that clients are locked out of already, sorted.
  package var standing: [Int] {
    Set(lockouts.lazy.filter { $0.isStanding && $0.lockout.extent == .every }.map(\.lockout.server)).sorted()
  }

  /// The servers at which only a part of what is presented is blocked, sorted.
  package var partly: [Int] {
    let wholly = Set(lockouts.lazy.filter { $0.lockout.extent == .every }.map(\.lockout.server))
    return Set(lockouts.lazy.map(\.lockout.server)).subtracting(wholly).sorted()
  }
}
