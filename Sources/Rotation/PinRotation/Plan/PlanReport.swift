import PinFormat
import PinValidator

/// Puts what was found into a plan, once it has been played.
struct PlanReport {
  let scenario: Scenario
  let contents: PlanContents
  /// The servers concerned, by index.
  let concerned: [Int]
  let schedule: PlanSchedule
  let released: [ClientRelease]

  func plan() throws(RotationPlanError) -> RotationPlan {
    let played = PlayedPlan(scenario: scenario, schedule: schedule)
    let remaining = try played.verify()
    let plan = RotationPlan(
      goal: contents.goal, servers: concerned, done: PlanHistory(self).milestones, steps: steps,
      outcome: contents.final, keptAsBackup: contents.kept, compromised: contents.compromised,
      played: played.played(apart: 0), remaining: remaining)
    try plan.checkReleases()
    return plan
  }

  private var steps: [RotationStep] {
    var before = contents.published
    var wasDenied = false
    var steps: [RotationStep] = []
    for (number, move) in schedule.moves.enumerated() {
      let action: RotationStep.Action
      switch move {
      case .release(let release):
        let denies = !release.postpones && !wasDenied
        action = .release(planned(release, after: before, denies: denies ? contents.compromised : []))
        before = release.sets
        wasDenied = wasDenied || denies
      case .serve(let stage):
        let stage = schedule.clients.stages[stage]
        let key = stage.key ?? contents.goal.target
        action = .serve(
          PlannedChange(
            key: key, servers: stage.changed.sorted(), isRefuge: !key.isSame(as: contents.goal.target)))
      }
      steps.append(RotationStep(action: action, earliest: schedule.dates[number], reason: schedule.reasons[number]))
    }
    return steps
  }

  private func planned(
    _ release: PlanRelease, after before: [KeySetContent], denies: [Manifest.Key]
  ) -> PlannedRelease {
    func difference(_ left: [KeySetContent], _ right: [KeySetContent], _ keys: (KeySetContent) -> [Manifest.Key])
      -> [Manifest.Key]
    {
      zip(left, right).flatMap { left, right in
        keys(left).filter { key in !keys(right).contains { $0.isSame(as: key) } }
      }.inOrder()
    }
    let postponed = release.postpones ? contents.compromised : []
    return PlannedRelease(
      keySets: release.sets, adds: difference(release.sets, before, \.keys),
      drops: difference(before, release.sets, \.keys), activates: difference(release.sets, before, \.active),
      denies: denies, postponedDenials: postponed,
      isPolicyAsItStands: postponed.isEmpty
        && zip(release.sets, contents.current).allSatisfy { $0.accepts(asMuchAs: $1) })
  }
}
