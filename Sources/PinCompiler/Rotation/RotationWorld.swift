package import PinEvidence
package import PinFormat
package import PinRotation

/// A rotation question in the terms of the model.
package struct RotationWorld: Sendable {
  package var scenario: Scenario
  /// The policy as it would be released now: the manifest of the scenario's candidate, with its true dates.
  package var candidate: Manifest
  /// The evidence, judged by the candidate; nil where there is none.
  package var assessment: Assessment?

  package init(scenario: Scenario, candidate: Manifest, assessment: Assessment?) {
    self.scenario = scenario
    self.candidate = candidate
    self.assessment = assessment
  }
}

/// Why a question can't be put in the terms of the model.
package enum RotationWorldError: Error, Sendable {
  case lowering(LoweringError)
  case rehearsal(RehearsalError)
  case judging(JudgeError)
  /// A key that the policy doesn't have.
  case unknownKey(String, known: [String])
  /// A host that no entry pins.
  case unknownHost(String)
}
