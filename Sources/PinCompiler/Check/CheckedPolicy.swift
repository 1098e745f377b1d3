import Diagnostics
package import PinPolicy
package import PinRules

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

  /// Asks all rules.
  package static func check(_ input: CheckInput) -> Outcome {
    let result = Checker.check(input)
    let hasErrors = result.diagnostics.contains { $0.severity == .error }
    return Outcome(result: result, checked: hasErrors ? nil : CheckedPolicy(policy: input.policy))
  }

  private init(policy: Policy) {
    self.policy = policy
  }
}
