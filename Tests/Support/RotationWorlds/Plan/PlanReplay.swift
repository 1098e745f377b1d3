import PinFormat
import PinRotation
import PinValidator

/// A plan's steps, played by the engine of `simulate` without the planner's help: its releases made of the policy, and
/// its changes of what the world's servers present.
struct PlanReplay {
  let question: PlanQuestion
  let plan: RotationPlan
  let forge: Forge

  /// Whom a step locks out, played on the plan's dates and with each step a tick later than it has to be; nil for nobody.
  func objection() throws -> String? {
    for delay in 0...1 {
      let played = try scenario(delay: Int64(delay) * question.tickLength)
      let causes = LockoutCauses(played)
      for lockout in Simulation(played).lockouts() where lockout.extent == .every {
        if lockout.isByClock || causes.isStanding(lockout) || isAssumption(lockout) { continue }
        return "\(lockout.release.name) locks out of \(lockout.server.label) from \(lockout.begin) on"
      }
    }
    return nil
  }

  /// Whether it is only assumed what the server presents, before the plan changes it: of releases that are out, or where
  /// a release with all keys would lock out as well.
  private func isAssumption(_ lockout: Lockout) -> Bool {
    guard lockout.phase.number == 0, lockout.phase.source == .assumed,
      let host = question.servers.firstIndex(of: lockout.server.number)
    else { return false }
    let world = question.world
    return lockout.release.origin == .released
      || PlanOracle(world).releaseKeepsOut(world.allKeys, world.hosts[host], anyIsEnough: true)
  }

  private func scenario(delay: Int64) throws -> Scenario {
    var played = question.scenario
    played.releases.removeAll { $0.origin != .released }
    for server in question.servers {
      let now = played.servers[server].phases.lastIndex { $0.begin <= played.now } ?? 0
      played.servers[server].phases = [played.servers[server].phases[now]]
    }
    var last = played.now
    for (number, step) in plan.steps.enumerated() {
      let date = step.earliest.adding(seconds: delay * Int64(number))
      last = date
      switch step.action {
      case .release(let release):
        guard let manifest = question.manifest(of: release) else { continue }
        played.releases.append(
          ClientRelease(
            name: "step \(number + 1)", serial: nil, issued: date, origin: .planned,
            manifest: try forge.manifest(manifest)))
      case .serve(let change):
        let key = StandingKey(
          change.key.name, change.key.pin, position: change.key.position, among: played.standings)
        for server in change.servers {
          let phases = played.servers[server].phases
          let asked = played.servers[server]
          let next = ChainChange.phase(
            phases[phases.count - 1],
            after: [ChainChange([key], keepsLeaf: question.world.wantsPair && key.position != .leaf)], at: date,
            ServerJudge(played.judge, host: asked.host, port: asked.port))
          played.servers[server].phases.append(next)
        }
      }
    }
    played.end = max(played.end, last.adding(seconds: 2 * played.window + 2))
    return played
  }
}
