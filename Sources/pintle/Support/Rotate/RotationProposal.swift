import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules

/// A rotation as it is shown: the plan, and what it has to be told of the policy and of the clients.
struct RotationProposal {
  let target: RotationTarget
  let study: RotationStudy
  let plan: RotationPlan
  /// The policy's directory, as commands name it.
  let directory: String
  /// The arguments of the commands that the steps name.
  let commands: RotationCommands
  /// For each remaining step, what to write first; nil where the policy doesn't declare a key that is needed.
  let edits: [[RotationEdits.Edit]?]
  /// What to write where nothing remains to be done and the policy still says it otherwise.
  let tidying: [RotationEdits.Edit]

  init(
    _ target: RotationTarget, _ study: RotationStudy, in directory: String, _ commands: RotationCommands
  ) throws(CommandFailure) {
    let policy = study.policy
    self.target = target
    self.study = study
    self.directory = directory
    self.commands = commands
    do {
      plan = try study.world.plan(
        to: policy.keys[target.key], of: [policy.keySets[target.keySet].name], in: policy)
    } catch {
      throw RotationRefusal(error, target, study).failure
    }
    var walk = RotationEdits(policy, target: policy.keys[target.key].name.value)
    let goal = plan.goal.target.pin
    var serving = plan.steps.count { step in
      if case .serve(let change) = step.action { change.key.pin == goal } else { false }
    }
    edits = plan.steps.map { step in
      switch step.action {
      case .serve(let change):
        if change.key.pin == goal { serving -= 1 }
        return []
      case .release(let release): return try? walk.advance(to: release.keySets, isServed: serving == 0)
      }
    }
    tidying = plan.steps.isEmpty ? (try? walk.advance(to: plan.outcome, isServed: true)) ?? [] : []
  }

  var policy: Policy { study.policy }
  var key: String { policy.keys[target.key].name.value }
  var now: Instant { study.question.now }
  var progress: RotationProgress { RotationProgress(plan) }

  /// The key set as messages name it.
  var label: String {
    let set = policy.keySets[target.keySet]
    return set.isInline ? "the keys of '\(set.name.dropFirst("host:".count))'" : "key set '\(set.name)'"
  }

  /// What the newest manifests and the policy call a key.
  var names: KeyNames { KeyNames(study.scenario) }

  // MARK: Servers

  func labels(_ servers: [Int]) -> [String] { servers.map { study.scenario.servers[$0].label } }

  /// What a server presents now.
  func phase(of server: Int) -> ServerPhase? {
    study.scenario.servers[server].phases.last { $0.begin <= now } ?? study.scenario.servers[server].phases.first
  }

  /// The keys that a server presents now, as far as anybody knows.
  func presented(by server: Int) -> [String] { phase(of: server).map { names.known($0) } ?? [] }

  /// Servers of which nobody looked what they present.
  var assumed: [Int] { plan.servers.filter { phase(of: $0)?.source == .assumed } }

  // MARK: Clients

  /// The releases that clients may run now, and until when; the newest has no end.
  var running: [(release: ReleasedManifest, end: Instant?)] {
    let released = study.question.released
    var scenario = study.scenario
    scenario.releases.removeAll { $0.origin != .released }
    guard scenario.releases.count == released.count else { return [] }
    return released.indices.map { (released[$0], scenario.run(ofRelease: $0).end) }
      .filter { $0.1.map { now < $0 } ?? true }
  }
}
