import PinRotation

/// Puts one world to the planner and to the oracle.
package struct PlanComparison {
  /// What is wrong with the plan; nil where it is safe, comes to the goal, and none is better.
  package var difference: String?
  /// The plan's steps.
  package var steps: [DatedStep] = []

  package init(_ world: PlanWorld, _ forge: Forge, mistake: PlanOracle.Mistake? = nil) throws {
    try self.init(world.question(forge), forge, mistake: mistake, replays: mistake == nil)
  }

  /// A replay asks no oracle, so it finds none of an oracle's mistakes.
  package init(
    _ question: PlanQuestion, _ forge: Forge, mistake: PlanOracle.Mistake? = nil, replays: Bool = true
  ) throws {
    let oracle = PlanOracle(question.world, mistake: mistake)
    let plan: RotationPlan
    do { plan = try question.plan() } catch let error as RotationPlanError {
      if !oracle.expects(error) { difference = "there is no plan: \(error)" }
      return
    }
    if oracle.isUnhealthy || oracle.refusesTarget {
      difference = "there is a plan: \(plan.steps)"
      return
    }
    guard let steps = question.steps(of: plan) else {
      difference = "a step isn't like those of a plain world: \(plan.steps)"
      return
    }
    self.steps = steps
    if oracle.locksOut(steps) {
      difference = "a release of a policy that locks somebody out: \(steps)"
    } else if let objection = oracle.objection(to: steps) {
      difference = "\(objection): \(steps)"
    } else if let better = oracle.better(than: steps) {
      difference = "\(steps) isn't as good as \(better)"
    } else if replays, let objection = try PlanReplay(question: question, plan: plan, forge: forge).objection() {
      difference = "\(objection): \(steps)"
    }
  }
}

extension PlanOracle {
  /// Whether there is no plan, for this reason.
  fileprivate func expects(_ error: RotationPlanError) -> Bool {
    switch error {
    case .unhealthy: isUnhealthy
    case .targetRefused: !isUnhealthy && refusesTarget
    // A plan must not begin with a release of a policy that locks somebody out.
    case .unsafe: !isUnhealthy && !refusesTarget && locksOutAnyway
    // A day has more ticks than any world, so `diff` looks further than each exception.
    case .clockBlocks(let witness, _, _):
      !isUnhealthy && !refusesTarget && witness.obstacle == .exceptionEnded
        && ends.contains(PlainWorld.tick(witness.begin))
    case .noPolicy, .unknownKeySet, .noServers, .targetDenied, .entryBlocks, .manifest: false
    }
  }

  /// When exceptions end.
  private var ends: [Int] {
    (world.hosts.map(\.health) + (world.bystander.map { [$0.health] } ?? [])).compactMap {
      if case .excused(let until) = $0 { until } else { nil }
    }
  }
}
