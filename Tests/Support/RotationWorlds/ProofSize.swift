/// How much the step `worlds` of Scripts/test --full compares, as `docs/rotation.md` states it.
///
/// The program fails unless it has compared as many, and a test unless the page says the same.
package enum ProofSize {
  package static let smallWorlds = 56_623_496
  package static let untidyWorlds = 200_000
  package static let pairWorlds = 69_984
  package static let policies = 911_828
  package static let plans = 1_796_815
  /// How many of the plans are of policies.
  package static let policyPlans = 79_083
}
