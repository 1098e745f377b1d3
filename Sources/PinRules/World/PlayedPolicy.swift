package import Diagnostics
package import PinFormat
package import PinPolicy
import PinRotation

extension RotationStudy {
  /// Checks a policy and simulates it.
  ///
  /// - Parameters:
  ///   - policy: The policy as it would be released.
  ///   - released: What clients have, in order of release.
  ///   - now: The instant that counts as now.
  ///   - ask: Adds to the question what else is known: evidence, planned changes, losses.
  /// - Throws: ``WorkFailure``; where the policy has errors, with exit status 2, and they are shown before.
  package init(
    of policy: LoadedPolicy, after released: [ReleasedManifest], at now: Instant,
    asking ask: (inout RotationQuestion) -> Void
  ) throws(WorkFailure) {
    let checked = try policy.checked(
      at: now,
      orFail: WorkFailure(
        .findings, "the policy has errors, so it can't be released",
        help: "Fix the errors above and run the command again."))
    var question = RotationQuestion(policy: checked, released: released, now: now)
    ask(&question)
    do {
      try self.init(question, compiler: Version.compiler)
    } catch {
      if let help = error.help { throw WorkFailure(.usage, error.message, help: help) }
      throw WorkFailure(.failed, "the policy can't be simulated: \(error.message)")
    }
  }

  /// Refuses to play releases that don't follow from one another: who runs which of them when can't be said.
  ///
  /// - Throws: ``WorkFailure`` with exit status 6.
  package func requireOrder() throws(WorkFailure) {
    guard let problem = historyProblems.first else { return }
    throw WorkFailure(.refused, problem.phrase.message, help: problem.phrase.help)
  }
}
