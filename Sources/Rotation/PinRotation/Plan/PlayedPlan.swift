import PinFormat
import PinValidator

/// A plan as a scenario, to be played by the simulation that everything else here is judged by.
struct PlayedPlan {
  let scenario: Scenario
  let schedule: PlanSchedule

  /// The scenario with the plan's releases and changes in place of what the policy would do.
  ///
  /// - Parameter seconds: How long each step is put off behind the one before it: with 0 the plan as it is, else
  ///   the time between steps of one date can be seen as well.
  /// - Returns: The scenario, which ends two windows behind the last step at the earliest.
  func played(apart seconds: Int64) -> Scenario {
    let clients = schedule.clients
    let count = clients.releasedCount
    var played = scenario
    played.releases = schedule.releases
    var servers = scenario.servers.map { server in
      var server = server
      if clients.stages[0].phases.isEmpty { return server }
      for number in server.phases.indices {
        server.phases[number] = server.phases[number].seen(byReleasesBehind: count, of: schedule.releases.count)
      }
      return server
    }
    for number in clients.stages[0].phases.keys {
      let phase = servers[number].phase(at: scenario.now)
      servers[number].phases.removeSubrange((phase + 1)...)
    }
    var release = count
    for (place, move) in schedule.moves.enumerated() {
      let date = schedule.dates[place].adding(seconds: seconds * Int64(place))
      switch move {
      case .release:
        played.releases[release].issued = date
        release += 1
      case .serve(let stage):
        for number in clients.stages[stage].changed.sorted() {
          guard var phase = clients.stages[stage].phases[number] else { continue }
          phase.begin = date
          servers[number].phases.append(phase.seen(byReleasesBehind: count, of: schedule.releases.count))
        }
      }
    }
    played.servers = servers
    if let last = schedule.dates.last {
      let steps = Int64(schedule.dates.count)
      let beyond = max(
        last.adding(seconds: scenario.window).adding(seconds: scenario.window),
        Scenario.end(after: last, window: scenario.window))
      played.end = max(scenario.end, beyond.adding(seconds: seconds * steps + 1))
    }
    return played
  }

  /// Plays the plan, on its dates and with its steps apart.
  ///
  /// - Returns: Who is locked out anyway.
  /// - Throws: `unsafe`, with whom the plan locks out.
  func verify() throws(RotationPlanError) -> [Lockout] {
    try check(played(apart: 1))
    return try check(played(apart: 0))
  }

  @discardableResult
  private func check(_ played: Scenario) throws(RotationPlanError) -> [Lockout] {
    let causes = LockoutCauses(played)
    let lockouts = Simulation(played).lockouts().filter { $0.extent == .every }
    for lockout in lockouts where !causes.isStanding(lockout) && !isGiven(lockout) {
      let witness = PlanWitness(lockout)
      if isByEnd(lockout), let last = schedule.dates.last {
        throw .clockBlocks(witness, servers: [lockout.server.part], step: last)
      }
      throw .unsafe(witness)
    }
    return lockouts
  }

  /// Whether no step makes a lockout: a clock does, or it is part of what is assumed about a server before the plan
  /// changes it.
  ///
  /// What ends after the last step counts only as far as `diff` of the last release looks ahead. And where nobody looked,
  /// the policy as it is may list keys that no client has yet: the plan is to say when they may be presented.
  private func isGiven(_ lockout: Lockout) -> Bool {
    let clients = schedule.clients
    let present = clients.stages[0].phases[lockout.server.number]
    if isByEnd(lockout) {
      let isOfPlan = lockout.release.number >= clients.releasedCount && present != nil
      return !isOfPlan || schedule.dates.last.map { $0 <= lockout.begin } ?? true
    }
    let now = scenario.servers[lockout.server.number].phase(at: scenario.now)
    guard present?.source == .assumed, lockout.phase.number == now else { return false }
    return clients.isExcused(
      lockout.release, server: lockout.server.number, stage: 0, at: lockout.begin, lockout.question)
  }

  /// Whether it begins because something ends: a clock, or a certificate later than `diff` looks ahead today.
  private func isByEnd(_ lockout: Lockout) -> Bool {
    lockout.isByClock || scenario.end <= lockout.begin && lockout.isByEnd
  }
}

extension ServerPhase {
  /// The phase where all releases of a plan, behind those that are out, lead to the chains that the policy leads to.
  func seen(byReleasesBehind count: Int, of all: Int) -> ServerPhase {
    guard !otherViews.isEmpty else { return self }
    var phase = self
    phase.otherViews = otherViews.filter { $0.key < count }
    if let policy = otherViews[count] {
      for number in count..<max(count + 1, all) { phase.otherViews[number] = policy }
    }
    return phase
  }
}
