import Diagnostics
import PinFormat
package import PinPolicy
package import PinRotation
import PinValidator

extension RotationWorld {
  /// Finds the shortest safe way on which the servers of some key sets come to present a key.
  ///
  /// - Parameters:
  ///   - target: The key, which the policy declares; it need not be in the sets.
  ///   - keySets: The names of the key sets, as the policy has them.
  ///   - policy: What the world was built of.
  /// - Returns: The plan, played and found safe.
  /// - Throws: ``RotationPlanError`` where there is none.
  package func plan(
    to target: Policy.Key, of keySets: [String], in policy: Policy
  ) throws(RotationPlanError) -> RotationPlan {
    // A key without a pin is an error, so a checked policy has none.
    guard let pin = target.pin else { throw .manifest(ManifestMakingError("the key has no pin")) }
    // Of the two keys that 'position: ca' becomes, the one where it is.
    let one = target.manifestKeys.first { $0.position == target.standing } ?? target.manifestKeys[0]
    let key = Manifest.Key(name: one.name, pin: pin, position: one.position, denied: target.denied?.value)
    let goal = RotationGoal(keySets: keySets, target: key)
    let rehearsal: Rehearsal
    do { rehearsal = try Rehearsal() } catch { throw .manifest(ManifestMakingError(error.message)) }
    func load(_ manifest: Manifest) throws(ManifestMakingError) -> LoadedManifest {
      do throws(RehearsalError) { return try rehearsal.load(manifest) } catch {
        throw ManifestMakingError(error.message)
      }
    }
    var lasting = scenario
    do throws(ManifestMakingError) {
      for number in lasting.releases.indices {
        let manifest = lasting.releases[number].manifest.manifest
        let kept = manifest.lasting(from: scenario.now)
        if kept != manifest { lasting.releases[number].manifest = try load(kept) }
      }
    } catch {
      throw .manifest(error)
    }
    return try RotationPlanner(lasting, goal: goal, materialise: load).plan()
  }
}

extension Manifest {
  /// The manifest as if what would fail open later never did.
  ///
  /// A client whose pins have lapsed goes on wherever it is led, so to wait for that would be a plan of fewer steps: in
  /// releases that are out, and in those of the plan, which have the policy's entries. No plan may count on it: anybody
  /// who lets pins lapse means something else by it, and may renew them before.
  fileprivate func lasting(from now: Instant) -> Manifest {
    var manifest = self
    if onStale != .block, now < expires { manifest.expires = .latest }
    for number in hosts.indices where hosts[number].onExpiry != .block {
      guard let expires = hosts[number].expires, now < expires else { continue }
      manifest.hosts[number].expires = nil
      manifest.hosts[number].onExpiry = nil
    }
    return manifest
  }
}
