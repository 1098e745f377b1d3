package import PinFormat
import PinPolicy
package import PinProbe
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

extension RotationWorld {
  /// Puts a question in the terms of the model.
  ///
  /// - Parameters:
  ///   - question: What is to be simulated.
  ///   - compiler: The compiler and its version, as the candidate's provenance says it.
  /// - Returns: The scenario, and what else was made on the way.
  /// - Throws: ``RotationWorldError`` where the policy makes no manifest, the evidence contradicts itself, or the
  ///   question names what isn't there.
  package static func build(
    _ question: RotationQuestion, compiler: String
  ) throws(RotationWorldError) -> RotationWorld {
    let names = KeysByName(question.policy.policy)
    let plan = try RotationReleases(question, names, compiler: compiler)
    let observations = try Observations(question, plan)
    let standings = KeyStandings(question.policy.policy, observations?.assessment)
    var servers = try ServerBuilder(question, plan, standings, names)
    var scenario = Scenario(
      now: question.now, end: plan.end, window: plan.window, releases: plan.releases,
      servers: try servers.servers(observed: observations?.servers ?? [:]), standings: standings.known)
    scenario = try scenario.losing(question.lost, names)
    var limits = TrustLimits(scenario)
    limits.apply(to: &scenario)
    return RotationWorld(scenario: scenario, candidate: plan.candidate, assessment: observations?.assessment)
  }
}
