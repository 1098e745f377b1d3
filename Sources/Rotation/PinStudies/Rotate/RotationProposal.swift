package import Diagnostics
package import PinFormat
package import PinPolicy
package import PinRelease
package import PinRotation
import PinRules

/// A rotation as it is shown: the plan, and what it depends on in the policy and in the clients.
package struct RotationProposal {
  package let target: RotationTarget
  /// The policy as its files have it.
  package let policy: Policy
  /// Of this policy, with the anchors that the target needs.
  package let study: RotationStudy
  package let plan: RotationPlan
  /// The policy's directory, as commands name it.
  package let directory: String
  /// The arguments of the commands that the steps name.
  package let commands: RotationCommands
  /// For each remaining step, what to write first; nil where the policy doesn't declare a key that is needed.
  package let edits: [[RotationEdits.Edit]?]
  /// What to write where nothing remains to be done and the policy still says it otherwise.
  package let tidying: [RotationEdits.Edit]
  /// For each remaining step, what makes the certificate in the file of the key unusable that servers are to present.
  let objections: [[KeyFileObjection]]
  /// What 'pintle diff' says of other audiences' policies as they are.
  package let elsewhere: [String]

  /// - Parameters:
  ///   - target: What was asked for.
  ///   - policy: The policy as its files have it.
  ///   - anchors: What makes the target's certificate an anchor where it has to be one.
  ///   - study: Of the policy with these edits.
  ///   - directory: The policy's directory.
  ///   - commands: The arguments of the commands that the steps name.
  ///   - bounds: What the clients of other audiences need.
  ///   - others: The policy as the other audiences have it, by their names.
  /// - Throws: ``WorkFailure`` where there is no safe plan.
  package init(
    _ target: RotationTarget, _ policy: Policy, anchors: [RotationEdits.Edit] = [], _ study: RotationStudy,
    in directory: String, _ commands: RotationCommands, after bounds: [RotationBound] = [],
    beside others: [(audience: String, study: RotationStudy)] = []
  ) throws(WorkFailure) {
    elsewhere = others.compactMap { other in
      let servers = RotationWriting.lockedOut(by: other.study)
      guard !servers.isEmpty else { return nil }
      return "'pintle diff' rejects the policy of the audience '\(other.audience)' as it is: its clients would be "
        + "locked out of \(Wording.list(servers, most: 3))."
    }
    self.target = target
    self.policy = policy
    self.study = study
    self.directory = directory
    self.commands = commands
    do {
      plan = try study.world.plan(
        to: policy.keys[target.key], of: [policy.keySets[target.keySet].name], in: policy, after: bounds)
    } catch {
      let (key, set) = (policy.keys[target.key].name.value, policy.keySets[target.keySet].name)
      throw RotationRefusal(error, to: key, in: set, study).failure
    }
    var walk = RotationEdits(policy, target: policy.keys[target.key].name.value)
    let goal = plan.goal.target.pin
    var serving = plan.steps.count { step in
      if case .serve(let change) = step.action { change.key.pin == goal } else { false }
    }
    var before = anchors
    edits = plan.steps.map { step in
      switch step.action {
      case .serve(let change):
        if change.key.pin == goal { serving -= 1 }
        return []
      case .release(let release):
        guard let edits = try? walk.advance(to: release.keySets, isServed: serving == 0) else { return nil }
        defer { before = [] }
        return before + edits
      }
    }
    let files = KeyFiles(study, in: plan.played)
    objections = plan.steps.map { [plan] step in
      guard case .serve(let change) = step.action, let key = policy.keys.first(where: { $0.pin == change.key.pin })
      else { return [] }
      return files.objections(to: key, at: change.servers, from: max(step.earliest, plan.played.now))
    }
    tidying = plan.steps.isEmpty ? before + ((try? walk.advance(to: plan.outcome, isServed: true)) ?? []) : []
  }

  package var key: String { policy.keys[target.key].name.value }
  package var now: Instant { study.question.now }
  package var progress: RotationProgress { RotationProgress(plan) }

  /// The key set as messages name it.
  package var label: String {
    let set = policy.keySets[target.keySet]
    return set.isInline ? "the keys of '\(set.name.dropFirst("host:".count))'" : "key set '\(set.name)'"
  }

  /// What the newest manifests and the policy call a key.
  var names: KeyNames { KeyNames(study.scenario) }

  // MARK: Servers

  package func labels(_ servers: [Int]) -> [String] { servers.map { study.scenario.servers[$0].label } }

  /// What a server presents now.
  package func phase(of server: Int) -> ServerPhase? {
    study.scenario.servers[server].phases.last { $0.begin <= now } ?? study.scenario.servers[server].phases.first
  }

  /// The keys that a server presents now, as far as anybody knows.
  package func presented(by server: Int) -> [String] { phase(of: server).map { names.known($0) } ?? [] }

  /// Servers of which nobody looked what they present.
  package var assumed: [Int] { plan.servers.filter { phase(of: $0)?.source == .assumed } }

  /// The plan's server changes, as another audience's clients see them: a key that its policy doesn't have is unknown.
  ///
  /// - Parameters:
  ///   - other: What these clients have.
  ///   - own: Their own plan, which agrees with this one on when servers present a key; nil where they have none.
  /// - Returns: The changes of servers that they pin and that their own plan doesn't change in the same way.
  package func serverChanges(
    seenBy other: RotationStudy, unlike own: RotationPlan?
  ) -> [RotationQuestion.ServerChange] {
    let (changes, same) = (plan.changes, own?.changes ?? [:])
    let pinned = Set(other.scenario.servers.map(\.label).filter { changes[$0] != same[$0] })
    return plan.steps.flatMap { step -> [RotationQuestion.ServerChange] in
      guard case .serve(let change) = step.action else { return [] }
      let name = other.policy.keys.first { $0.pin == change.key.pin }?.name.value ?? "unknown"
      return change.servers.map { study.scenario.servers[$0] }.filter { pinned.contains($0.label) }.map { server in
        RotationQuestion.ServerChange(
          host: server.host, port: server.port, keys: [name], instant: max(step.earliest, now.adding(seconds: 1)))
      }
    }
  }

  // MARK: Clients

  /// The releases that clients may run now, and until when; the newest has no end.
  package var running: [(release: ReleasedManifest, end: Instant?)] {
    let released = study.question.released
    var scenario = study.scenario
    scenario.releases.removeAll { $0.origin != .released }
    guard scenario.releases.count == released.count else { return [] }
    return released.indices.map { (released[$0], scenario.run(ofRelease: $0).end) }
      .filter { $0.1.map { now < $0 } ?? true }
  }
}
