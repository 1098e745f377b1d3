import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules

extension RotationStudy {
  /// Checks a policy and simulates it.
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
      try self.init(question, compiler: Version.compiler)
    } catch {
      if let help = error.help { throw CommandFailure(.usage, error.message, help: help) }
      throw CommandFailure(.failed, "the policy can't be simulated: \(error.message)")
    }
  }

  /// Refuses to play releases that don't follow from one another: who runs which of them when can't be said.
  ///
  /// - Throws: ``CommandFailure`` with exit status 6.
  func requireOrder() throws(CommandFailure) {
    guard let problem = historyProblems.first else { return }
    throw CommandFailure(.refused, problem.phrase.message, help: problem.phrase.help)
  }
}
