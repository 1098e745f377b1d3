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

  /// The earliest dates of the steps that concern several audiences.
  ///
  /// - Parameter rotations: One for each audience, the one that was asked about first.
  /// - Returns: For each step, the bound of the audience that lasts longest; none where only one audience has servers.
  /// - Throws: ``WorkFailure`` where there is no safe plan for one of them.
  package static func bounds(of rotations: [Self]) throws(WorkFailure) -> [RotationBound] {
    guard rotations.count > 1 else { return [] }
    var bounds: [RotationBound] = []
    // Putting off one step puts off those behind it, of which a plan has two at most.
    for _ in 0..<4 {
      var latest: [RotationBound.Step: RotationBound] = [:]
      for (number, rotation) in rotations.enumerated() {
        for bound in try rotation.bounds(after: bounds, isAskedAbout: number == 0)
        where latest[bound.step].map({ $0.earliest < bound.earliest }) ?? true {
          latest[bound.step] = bound
        }
      }
      guard Set(latest.values) != Set(bounds) else { break }
      bounds = latest.values.sorted { ($0.earliest, $0.audience) < ($1.earliest, $1.audience) }
    }
    // Dates that haven't settled are at least those that were found.
    return bounds
  }

  /// The servers that this audience's own plan changes; none where it has no servers with the key set.
  package func servers(after bounds: [RotationBound]) -> Set<String> {
    guard let plan = try? world.plan(to: key, of: [keySet], in: study.policy, after: bounds) else { return [] }
    return Set(plan.servers.map { study.scenario.servers[$0].label })
  }

  private func bounds(after bounds: [RotationBound], isAskedAbout: Bool) throws(WorkFailure) -> [RotationBound] {
    do {
      return try world.plan(to: key, of: [keySet], in: study.policy, after: bounds).bounds(of: audience)
    } catch .noServers where !isAskedAbout {
      return []
    } catch {
      var failure = RotationRefusal(error, to: key.name.value, in: keySet, study).failure
      if !isAskedAbout { failure.message = "for the audience '\(audience)', \(failure.message)" }
      throw failure
    }
  }
}
