import Diagnostics
package import PinFormat
package import PinPolicy
package import PinProbe
package import PinRelease
package import PinRotation
import PinRules
package import PinValidator

/// A rotation question in the terms of the model.
package struct RotationWorld: Sendable {
  package var scenario: Scenario
  /// The policy as it would be released now: the manifest of the scenario's candidate, with its true dates.
  package var candidate: Manifest
  /// The evidence, judged by the candidate; nil where there is none.
  package var assessment: Assessment?
  var certificates: KnownCertificates
}

extension RotationWorld {
  /// Puts a question in the terms of the model.
  ///
  /// - Parameters:
  ///   - question: What to simulate.
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
    let certificates = KnownCertificates(
      question.policy.policy, plan.releases.map(\.manifest), question.evidence, observations?.assessment)
    let standings = KeyStandings(question.policy.policy, observations?.assessment, certificates)
    let judge: UnseenChains
    do throws(TrustFailure) {
      judge = try UnseenChains(question, plan, certificates)
    } catch {
      throw .unseen(error)
    }
    var servers = try ServerBuilder(question, plan, standings, certificates, names, judge)
    var scenario = Scenario(
      now: question.now, end: plan.end, window: plan.window, releases: plan.releases,
      servers: try servers.servers(observed: observations?.servers ?? [:]), standings: standings.known, judge: judge)
    scenario = try scenario.losing(question.lost, names)
    return RotationWorld(
      scenario: scenario, candidate: plan.candidate, assessment: observations?.assessment, certificates: certificates)
  }
}

extension RotationWorld {
  /// Finds the shortest safe way on which the servers of some key sets come to present a key.
  ///
  /// - Parameters:
  ///   - target: The key, which the policy declares; it need not be in the sets.
  ///   - keySets: The names of the key sets, as the policy has them.
  ///   - policy: What the world was built of.
  ///   - bounds: What the clients of other audiences ask for.
  /// - Returns: The plan, played and found safe.
  /// - Throws: ``RotationPlanError`` where there is none.
  package func plan(
    to target: Policy.Key, of keySets: [String], in policy: Policy, after bounds: [RotationBound] = []
  ) throws(RotationPlanError) -> RotationPlan {
    // A key without a pin is an error, so a checked policy has none.
    guard let pin = target.pin else { throw .manifest(ManifestMakingError("the key has no pin")) }
    // 'position: ca' becomes two keys; take the one at the key's actual position.
    let one = target.manifestKeys.first { $0.position == target.standing } ?? target.manifestKeys[0]
    let key = Manifest.Key(name: one.name, pin: pin, position: one.position, denied: target.denied?.value)
    var goal = RotationGoal(keySets: keySets, target: key)
    goal.bounds = bounds
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
  func lasting(from now: Instant) -> Manifest {
    var manifest = self
    if !onStale.blocks(where: unpinnedHosts), now < expires { manifest.expires = .latest }
    for number in hosts.indices where !(hosts[number].onExpiry?.blocks(where: unpinnedHosts) ?? false) {
      guard let expires = hosts[number].expires, now < expires else { continue }
      manifest.hosts[number].expires = nil
      manifest.hosts[number].onExpiry = nil
    }
    return manifest
  }
}

/// Why a question can't be put in the terms of the model.
package enum RotationWorldError: Error, Sendable {
  case lowering(LoweringError)
  case rehearsal(RehearsalError)
  case judging(JudgeError)
  /// The validator can't be asked about chains that nobody has seen.
  case unseen(TrustFailure)
  /// A key that the policy doesn't have.
  case unknownKey(String, known: [String])
  /// A host that no entry pins.
  case unknownHost(String, known: [String])
  /// A key set that planned steps leave without keys, from when on, and the key whose end does so.
  case emptiedKeySet(String, key: String, instant: Instant)

  /// What is wrong.
  package var message: String {
    switch self {
    case .lowering(let error): error.message
    case .rehearsal(let error): error.message
    case .judging(let error): error.message
    case .unseen(let error): error.message
    case .unknownKey(let name, _): "the policy has no key '\(name)'"
    case .unknownHost(let name, _): "no entry pins '\(name)'"
    case .emptiedKeySet(let set, let key, let instant):
      "the key set '\(set)' has no key left from \(instant) on, when '\(key)' is to be retired; add the key that comes "
        + "in its place to the set, or take 'retired:' out of the steps"
    }
  }

  /// What to do about a name that anybody who asks has got wrong; nil where it isn't that.
  package var help: String? {
    switch self {
    case .unknownKey(let name, let known):
      Suggestion.help(name, among: known, else: "Name one of those under 'keys:'.")
    case .unknownHost(let name, let known):
      Suggestion.help(name, among: known, else: "Name a host that a release or the policy pins.")
    case .lowering, .rehearsal, .judging, .unseen, .emptiedKeySet: nil
    }
  }
}
