package import PinFormat
package import PinRotation

/// What the rules about rotation are given: the model, and what it comes to.
package struct RotationInput: Sendable {
  /// The releases (one of them the candidate: what the policy says now), the servers, the planned steps.
  package var scenario: Scenario
  /// Every lockout of the scenario.
  package var lockouts: [Lockout]
  /// What the loss of each key that is presented would do.
  package var losses: [KeyLoss]
  /// What the candidate says that the newest release doesn't.
  package var changes: ManifestChanges
  /// The newest release.
  package var newest: Manifest
  /// How the releases and the candidate don't follow from one another.
  package var historyProblems: [HistoryProblem]
  /// Whether somebody said that many hosts are meant to change at once.
  package var allowsMassChange: Bool

  package init(
    scenario: Scenario, lockouts: [Lockout], losses: [KeyLoss], changes: ManifestChanges, newest: Manifest,
    historyProblems: [HistoryProblem], allowsMassChange: Bool
  ) {
    self.scenario = scenario
    self.lockouts = lockouts
    self.losses = losses
    self.changes = changes
    self.newest = newest
    self.historyProblems = historyProblems
    self.allowsMassChange = allowsMassChange
  }
}
