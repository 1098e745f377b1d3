import PinRotation

/// Puts one world to the planner and to the oracle.
package struct PlanComparison {
  /// What is wrong with the plan; nil where it is safe, comes to the goal, and none is better.
  package var difference: String?
  /// The plan's steps.
  package var steps: [DatedStep] = []

  package init(_ world: PlanWorld, _ forge: Forge, mistake: PlanOracle.Mistake? = nil) throws {
    let oracle = PlanOracle(world, mistake: mistake)
    let plan: RotationPlan
    do { plan = try world.planner(forge).plan() } catch RotationPlanError.unsafe where oracle.locksOutAnyway {
      // No plan is shown that begins with a release of a policy that locks somebody out.
      return
    } catch {
      difference = "there is no plan: \(error)"
      return
    }
    guard let steps = plan.plainSteps else {
      difference = "a step isn't like those of a plain world: \(plan.steps)"
      return
    }
    self.steps = steps
    if let objection = oracle.objection(to: steps) {
      difference = "\(objection): \(steps)"
    } else if let better = oracle.better(than: steps) {
      difference = "\(steps) isn't as good as \(better)"
    }
  }
}
