import Diagnostics
package import PinFormat
package import PinPolicy
import PinProbe
package import PinRotation
import PinValidator

/// A policy, simulated from the releases that clients have.
package struct RotationStudy {
  package let question: RotationQuestion
  package let world: RotationWorld
  /// Every lockout of the scenario.
  package let lockouts: [Lockout]

  package var policy: Policy { question.policy.policy }
  package var scenario: Scenario { world.scenario }

  /// Simulates what a question asks.
  ///
  /// - Parameters:
  ///   - question: The policy, the releases before it, and what else is known.
  ///   - compiler: The compiler and its version.
  /// - Throws: ``RotationWorldError`` where the question can't be put in the terms of the model.
  package init(_ question: RotationQuestion, compiler: String) throws(RotationWorldError) {
    world = try RotationWorld.build(question, compiler: compiler)
    self.question = question
    lockouts = Simulation(world.scenario).lockouts()
  }

  /// What the policy gives a date, key by key.
  package var plannedSteps: [PlannedStep] {
    policy.keys.flatMap { key in
      key.steps.dated.map { PlannedStep(key: key.name.value, status: $0.status.rawValue, instant: $0.instant.value) }
    }
  }

  /// How the releases, and what would come next, don't follow from one another.
  package var historyProblems: [HistoryProblem] {
    let records = question.released.map { release in
      ReleaseRecord(
        name: release.name, audience: release.loaded.audience, serial: release.serial, issued: release.issued,
        digest: release.digest, previous: release.loaded.tables.header.previous)
    }
    let candidate = ReleaseRecord(
      name: "this policy", audience: world.candidate.audience, serial: nil, issued: question.now, digest: nil,
      previous: nil)
    return HistoryProblem.find(in: records, candidate: candidate)
  }

  /// What the candidate says that the newest release doesn't; nil where nothing is released yet.
  package func comparison() -> Comparison? {
    guard let release = question.released.last else { return nil }
    let newest = release.manifest
    var changes = ManifestChanges(from: newest, to: world.candidate)
    if let window = release.window.flatMap({ SettingChange(ofWindowFrom: $0, to: scenario.window) }) {
      // The first of its risk: how much of the rest is judged hangs on it.
      changes.settings.insert(
        window, at: changes.settings.firstIndex { $0.risk <= window.risk } ?? changes.settings.count)
    }
    return Comparison(newest: newest, changes: changes)
  }

  /// The newest release, and what the candidate changes of it.
  package struct Comparison {
    package let newest: Manifest
    package let changes: ManifestChanges
  }

  /// Asks the rules about rotation.
  ///
  /// - Parameters:
  ///   - comparison: What ``comparison()`` answered.
  ///   - allowsMassChange: Whether somebody said that many hosts are meant to change at once.
  /// - Returns: The findings, and those that a suppression accepts for now.
  package func findings(on comparison: Comparison, allowsMassChange: Bool) -> Checker.Result {
    let rotation = RotationInput(
      scenario: scenario, lockouts: lockouts, losses: LossAnalysis(scenario).losses(), changes: comparison.changes,
      newest: comparison.newest, historyProblems: historyProblems, allowsMassChange: allowsMassChange)
    let live = world.assessment.map { LiveInput(assessment: $0) }
    // A commit isn't what clients have, and doesn't say when that was issued.
    let further = Self.furtherRules + (question.released.last?.serial == nil ? [] : [Rule.baselineExpiring.code])
    return Checker.check(
      CheckInput(
        policy: policy, baseline: comparison.newest, live: live, rotation: rotation, at: question.now),
      rules: Rule.catalogue.filter { $0.family == .rotation || further.contains($0.code) })
  }

  /// What else concerns a release: hosts on which some clients can't decide (P214), hosts that enforce without a trial
  /// (P406), and evidence of another time (P539).
  private static let furtherRules = ["P214", "P406", "P539"]
}
