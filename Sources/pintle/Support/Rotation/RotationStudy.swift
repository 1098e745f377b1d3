import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinRules
import PinValidator

/// A policy, played forward from the releases that clients have.
struct RotationStudy {
  let policy: LoadedPolicy
  let question: RotationQuestion
  let world: RotationWorld
  /// Every lockout of the scenario.
  let lockouts: [Lockout]

  var scenario: Scenario { world.scenario }

  /// Checks a policy and plays it forward.
  ///
  /// - Parameters:
  ///   - policy: The policy as it would be released.
  ///   - released: What clients have, in order of release.
  ///   - now: The instant that counts as now.
  ///   - ask: Adds to the question what else is known: evidence, planned changes, losses.
  /// - Throws: ``CommandFailure``; where the policy has errors, with exit status 2, and they are shown before.
  init(
    of policy: LoadedPolicy, after released: [ReleasedManifest], at now: Instant,
    asking ask: (inout RotationQuestion) -> Void
  ) throws(CommandFailure) {
    let outcome = CheckedPolicy.check(CheckInput(policy: policy.policy, at: now))
    guard let checked = outcome.checked else {
      Console.say(ReportOptions.text(outcome.result, of: policy, at: now))
      throw CommandFailure(
        .findings, "the policy has errors, so it can't be released",
        help: "Fix the errors above and run the command again.")
    }
    var question = RotationQuestion(policy: checked, released: released, now: now)
    ask(&question)
    do {
      world = try RotationWorld.build(question, compiler: Version.compiler)
    } catch {
      if let help = error.help { throw CommandFailure(.usage, error.message, help: help) }
      throw CommandFailure(.failed, "the policy can't be played forward: \(error.message)")
    }
    self.policy = policy
    self.question = question
    lockouts = Simulation(world.scenario).lockouts()
  }

  /// What the policy gives a date, key by key.
  var plannedSteps: [PlannedStep] {
    policy.policy.keys.flatMap { key in
      key.steps.dated.map { PlannedStep(key: key.name.value, status: $0.status.rawValue, instant: $0.instant.value) }
    }
  }

  /// How the releases, and what would come next, don't follow from one another.
  var historyProblems: [HistoryProblem] {
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

  /// Refuses to play releases that don't follow from one another: who runs which of them when can't be said.
  ///
  /// - Throws: ``CommandFailure`` with exit status 6.
  func requireOrder() throws(CommandFailure) {
    guard let problem = historyProblems.first else { return }
    throw CommandFailure(.refused, problem.phrase.message, help: problem.phrase.help)
  }

  /// What the candidate says that the newest release doesn't; nil where nothing is released yet.
  func comparison() -> Comparison? {
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
  struct Comparison {
    let newest: Manifest
    let changes: ManifestChanges
  }

  /// Asks the rules about rotation.
  ///
  /// - Parameters:
  ///   - comparison: What ``comparison()`` answered.
  ///   - allowsMassChange: Whether somebody said that many hosts are meant to change at once.
  /// - Returns: The findings, and those that a suppression accepts for now.
  func findings(on comparison: Comparison, allowsMassChange: Bool) -> Checker.Result {
    let rotation = RotationInput(
      scenario: scenario, lockouts: lockouts, losses: LossAnalysis(scenario).losses(), changes: comparison.changes,
      newest: comparison.newest, historyProblems: historyProblems, allowsMassChange: allowsMassChange)
    let live = world.assessment.map { LiveInput(assessment: $0) }
    return Checker.check(
      CheckInput(
        policy: policy.policy, baseline: comparison.newest, live: live, rotation: rotation, at: question.now),
      rules: Rule.catalogue.filter { $0.family == .rotation || Self.furtherRules.contains($0.code) })
  }

  /// What else concerns a release: hosts on which some clients can't decide (P214), hosts that enforce without a trial
  /// (P406), and evidence of another time (P539).
  private static let furtherRules = ["P214", "P406", "P539"]
}
