package import PinFormat

/// Which step of a rotation one is on, what may be done next, and what must not be done yet.
package struct RotationProgress: Hashable, Sendable {
  /// A step that must not be done yet.
  package struct Barred: Hashable, Sendable {
    /// Its index among the plan's steps.
    package var step: Int
    /// The earliest date, if the steps before it are done on theirs.
    package var until: Instant
    /// Who would be locked out; nil where it merely follows another step.
    package var witness: PlanWitness?
  }

  /// How many steps are behind, and how many there are with those that remain.
  package var behind: Int
  package var total: Int
  /// The step that may be done next, by its index among the plan's steps; nil where the goal is reached.
  package var next: Int?
  /// From when on it may be done.
  package var from: Instant?
  /// Whether it may be done at the instant that counts as now.
  package var isDue: Bool
  /// The steps that may not be done now, the next one included where it has to wait.
  package var barred: [Barred]

  /// Where one is on a plan.
  package init(_ plan: RotationPlan) {
    behind = plan.done.count
    total = plan.done.count + plan.steps.count
    next = plan.steps.isEmpty ? nil : 0
    from = plan.steps.first?.earliest
    isDue = plan.steps.first.map { $0.earliest <= plan.played.now } ?? false
    let waiting = plan.steps.indices.filter { $0 > 0 || plan.steps[$0].earliest > plan.played.now }
    barred = waiting.map { number in
      let step = plan.steps[number]
      if case .clients(let witness) = step.reason {
        return Barred(step: number, until: step.earliest, witness: witness)
      }
      return Barred(step: number, until: step.earliest, witness: nil)
    }
  }
}
