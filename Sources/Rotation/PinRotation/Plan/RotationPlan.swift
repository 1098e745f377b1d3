package import PinFormat

/// The shortest safe sequence of releases and server changes to a goal, each with its earliest date.
///
/// Steps are taken one after the other. Of two with one date, the first is finished before the second begins, and nobody
/// is locked out between them: look at what the servers present (`pintle probe`) before the second.
package struct RotationPlan: Sendable {
  package var goal: RotationGoal
  /// The servers concerned, by their index in the scenario that was asked about.
  package var servers: [Int]
  /// What is behind: in order, for `--check`.
  package var done: [RotationMilestone]
  /// What remains to be done, in order; empty where the goal is reached.
  package var steps: [RotationStep]
  /// What the goal leaves in each of its key sets.
  package var outcome: [KeySetContent]
  /// The keys that stay as a backup only because no other would be left.
  package var keptAsBackup: [Manifest.Key]
  /// The keys that are denied and presented: what the plan gets away from before the denial reaches anybody.
  package var compromised: [Manifest.Key]
  /// The scenario with the plan's releases and server changes in place of the policy as it is, as it was verified:
  /// the servers and the releases that are out have the indices that they had.
  package var played: Scenario
  /// Who is locked out in it anyway, because they are already, or because of what the policy says about servers that
  /// the rotation is not about.
  package var remaining: [Lockout]
}

extension RotationPlan {
  /// When `diff` would stop looking ahead behind the last step.
  package var end: Instant { Scenario.end(after: steps.last?.earliest ?? played.now, window: played.window) }

  /// Refuses a plan with a release that `diff` would reject on its date, for what ends within its time, wherever.
  func checkReleases() throws(RotationPlanError) {
    let release = steps.last { if case .release = $0.action { true } else { false } }
    guard let release, let last = steps.last else { return }
    let causes = LockoutCauses(played)
    let end = Scenario.end(after: release.earliest, window: played.window)
    let rejections = remaining.filter { lockout in
      lockout.begin < end && lockout.isByEnd && lockout.release.origin != .released && !causes.isStanding(lockout)
    }
    guard let first = rejections.min(by: { $0.begin < $1.begin }) else { return }
    let same = rejections.filter { $0.begin == first.begin && $0.obstacle == first.obstacle }
    throw .clockBlocks(
      PlanWitness(first), servers: Set(same.map(\.server)).sorted().map(\.part), step: last.earliest)
  }
}

/// One step that remains.
package struct RotationStep: Sendable {
  package enum Action: Sendable {
    case release(PlannedRelease)
    case serve(PlannedChange)
  }

  package var action: Action
  /// Before this instant the step locks somebody out, or can't be reached.
  package var earliest: Instant
  /// Why it isn't earlier.
  package var reason: RotationWait
}

/// A release that the plan asks for: the policy as it is, with these key sets.
package struct PlannedRelease: Sendable {
  /// Each of the goal's key sets, as the release has it: what to write into the policy.
  package var keySets: [KeySetContent]
  /// Against the newest release before it, the plan's own included: keys that come, that go, that become active, and
  /// that begin to be denied.
  package var adds: [Manifest.Key]
  package var drops: [Manifest.Key]
  package var activates: [Manifest.Key]
  package var denies: [Manifest.Key]
  /// Keys that the policy as it is denies and this release must not deny yet, since servers still present them.
  package var postponedDenials: [Manifest.Key]
  /// Whether it is the policy as it is, so that nothing has to be written first.
  package var isPolicyAsItStands: Bool
}

/// A change of what servers present.
package struct PlannedChange: Hashable, Sendable {
  /// What they present from then on: the goal's target, or a published backup on the way to it.
  package var key: Manifest.Key
  /// The servers that change, by their index in the scenario; those that present the key already aren't among them.
  package var servers: [Int]
  /// Whether the key is only a refuge on the way to the target.
  package var isRefuge: Bool
}

/// Why a step can't be earlier.
package enum RotationWait: Hashable, Sendable {
  /// It can be done now.
  case nothing
  /// Clients of a release that don't accept what servers would present may run until the step's date; the witness is
  /// the one that lasts longest.
  case clients(PlanWitness)
  /// It follows the step before it, by its index among the plan's steps, at once.
  case step(Int)
  /// The clients of this audience, who have other manifests, have to be waited for.
  case audience(String)
}

/// Somebody who is locked out where a step is done too early.
package struct PlanWitness: Hashable, Sendable {
  package var server: Numbered<Server>
  /// Whose clients.
  package var release: Numbered<ClientRelease>
  /// From when until when; nil where it doesn't end.
  package var begin: Instant
  package var end: Instant?
  /// What the server would present.
  package var chain: PresentedChain
  package var obstacle: Lockout.Obstacle

  init(
    _ server: Numbered<Server>, _ release: Numbered<ClientRelease>, from begin: Instant, to end: Instant?,
    _ blocked: PlanClients.Blocked
  ) {
    self.server = server
    self.release = release
    self.begin = begin
    self.end = end
    (chain, obstacle) = blocked
  }

  init(_ lockout: Lockout) {
    self.init(
      lockout.server, lockout.release, from: lockout.begin, to: lockout.end,
      (lockout.landing.trust.chain, lockout.obstacle))
  }

  /// Why its clients go away: one clause.
  package var reason: String { obstacle.reason(in: release.manifest) }

  func lasts(longerThan other: PlanWitness?) -> Bool {
    guard let other else { return true }
    guard let end else { return other.end != nil }
    return other.end.map { end > $0 } ?? false
  }
}

/// A step that is behind.
package enum RotationMilestone: Hashable, Sendable {
  /// Every release from this one on has the target for all servers concerned.
  case published(since: Instant, release: String)
  /// All servers concerned present the target: since the last of them does, as far as is known.
  case served(since: Instant, isAssumed: Bool)
  /// No release from this one on has these keys, which an earlier one had.
  case dropped(since: Instant, release: String, keys: [Manifest.Key])
}

/// Why there is no plan.
package enum RotationPlanError: Error, Sendable {
  /// Nothing is there to start from: neither a release nor the policy as it is.
  case noPolicy
  /// The policy as it is has no key set of this name.
  case unknownKeySet(String)
  /// No server's entry has one of the key sets.
  case noServers
  /// The policy as it is denies the target. A denial that only a release has makes the plan `unsafe` instead.
  case targetDenied(reason: String)
  /// No release that the plan could make accepts what the server would present: the target isn't allowed at its place,
  /// or isn't all that the entry asks for.
  case targetRefused(PlanWitness)
  /// What the plan would do locks somebody out: the witness says whom.
  case unsafe(PlanWitness)
  /// Clients can't connect to a server concerned, for a reason other than pins: what it presents shows no plan to be
  /// safe. The server, and why.
  case unhealthy(Server, reason: String)
  /// A step would come on or after the day on which the entry of a server concerned expires and blocks, or that day comes
  /// while clients of a release that is made now may still run it.
  case entryBlocks(Server, since: Instant, step: Instant)
  /// A clock of the policy, or the end of a certificate that it carries, blocks the clients of a plan's release at these
  /// servers before the plan's last step, or while `diff` looks ahead from its last release.
  case clockBlocks(PlanWitness, servers: [Server], step: Instant)
  /// A manifest of the plan can't be made.
  case manifest(ManifestMakingError)
}

/// Why a manifest can't be made for trying it out.
package struct ManifestMakingError: Error, Hashable, Sendable {
  /// What is wrong and what to do.
  package var message: String

  package init(_ message: String) {
    self.message = message
  }
}

/// Which step of a rotation one is on, what may be done next, and what must not be done yet.
package struct RotationProgress: Hashable, Sendable {
  /// A step that must not be done yet.
  package struct Barred: Hashable, Sendable {
    /// Its index among the plan's steps.
    package var step: Int
    /// The earliest date, if the steps before it are done on theirs.
    package var until: Instant
    /// Why it has to wait.
    package var reason: RotationWait
  }

  /// How many steps are behind, and how many there are with those that remain.
  package var behind: Int
  package var total: Int
  /// The step that may be done next, by its index among the plan's steps; nil where the goal is reached.
  package var next: Int?
  /// From when on it may be done.
  package var from: Instant?
  /// Whether it may be done at the instant that counts as now.
  package var isDue: Bool
  /// The steps that may not be done now, the next one included where it has to wait.
  package var barred: [Barred]

  /// Where one is on a plan.
  package init(_ plan: RotationPlan) {
    behind = plan.done.count
    total = plan.done.count + plan.steps.count
    next = plan.steps.isEmpty ? nil : 0
    from = plan.steps.first?.earliest
    isDue = plan.steps.first.map { $0.earliest <= plan.played.now } ?? false
    let waiting = plan.steps.indices.filter { $0 > 0 || plan.steps[$0].earliest > plan.played.now }
    barred = waiting.map { number in
      Barred(step: number, until: plan.steps[number].earliest, reason: plan.steps[number].reason)
    }
  }
}
