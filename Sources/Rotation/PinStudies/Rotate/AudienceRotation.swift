package import Diagnostics
package import PinPolicy
package import PinRotation

/// A rotation as the clients of one of several audiences see it.
///
/// All audiences have the key set from one place in the policy, and servers present one key to the clients of all. So a
/// step waits for the audience that lasts longest.
package struct AudienceRotation {
  package let audience: String
  let key: Policy.Key
  let keySet: String
  let study: RotationStudy
  private var world: RotationWorld

  /// - Parameters:
  ///   - audience: Its name.
  ///   - key: The key to come to.
  ///   - keySet: The name of the key set.
  ///   - study: The policy as this audience has it.
  ///   - asked: The policy as the audience has it that was asked about, which knows more of the key.
  package init(
    of audience: String, to key: Policy.Key, in keySet: String, _ study: RotationStudy, beside asked: RotationStudy
  ) {
    self.audience = audience
    self.key = key
    self.keySet = keySet
    self.study = study
    world = study.world
    world.scenario.standings.merge(asked.scenario.standings) { own, _ in own }
  }

  /// The plans of several audiences.
  ///
  /// - Parameter rotations: One for each audience, the one that was asked about first.
  /// - Returns: Plans that agree.
  /// - Throws: ``WorkFailure`` where there is no safe plan for one of them.
  package static func agreement(of rotations: [Self]) throws(WorkFailure) -> PlanAgreement {
    let found = try PlanAgreement.find(among: rotations.map(\.audience)) { (number, bounds) throws(WorkFailure) in
      try rotations[number].plan(after: bounds, isAskedAbout: number == 0)
    }
    guard let found else {
      throw WorkFailure(
        .unsafeRotation, "no plan was found on which the clients of all audiences agree",
        help: "Give the entries of all the same keys first, and wait for the clients. 'pintle simulate --audience "
          + "NAME' shows what a change does to those of one.")
    }
    return found
  }

  private func plan(after bounds: [RotationBound], isAskedAbout: Bool) throws(WorkFailure) -> RotationPlan? {
    do {
      return try world.plan(to: key, of: [keySet], in: study.policy, after: bounds)
    } catch .noServers where !isAskedAbout {
      return nil
    } catch {
      var failure = RotationRefusal(error, to: key.name.value, in: keySet, study).failure
      if !isAskedAbout { failure.message = "for the audience '\(audience)', \(failure.message)" }
      throw failure
    }
  }
}
