import Diagnostics
import PinFormat
package import PinPolicy

/// A policy without a finding at the level `error`.
///
/// Only checking makes one, and only one can be lowered, so that nothing is ever built from a policy with errors.
package struct CheckedPolicy: Sendable {
  package let policy: Policy

  /// What checking found, and the policy where nothing of it is an error.
  package struct Outcome: Sendable {
    package let result: Checker.Result
    package let checked: CheckedPolicy?
  }

  /// Asks all rules, and then whether clients would load what is built of it.
  ///
  /// - Parameters:
  ///   - input: All that rules may know.
  ///   - clientFileBytes: The largest manifest file that clients load; their default where nil.
  /// - Returns: What was found, and the policy if nothing of it is an error.
  package static func check(
    _ input: CheckInput, clientFileBytes: Int? = nil
  ) -> Outcome {
    var result = Checker.check(input)
    guard !result.diagnostics.contains(where: { $0.severity == .error }) else {
      return Outcome(result: result, checked: nil)
    }
    let checked = CheckedPolicy(policy: input.policy)
    guard let problem = checked.whyNotLoaded(at: input.instant, clientFileBytes ?? FormatLimits.clientFileBytes) else {
      return Outcome(result: result, checked: checked)
    }
    result.diagnostics.append(problem)
    result.diagnostics.sort()
    return Outcome(result: result, checked: nil)
  }

  private init(policy: Policy) {
    self.policy = policy
  }
}
