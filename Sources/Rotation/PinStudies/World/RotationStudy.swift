package import Diagnostics
package import PinFormat
package import PinPolicy
package import PinProbe
package import PinRelease
package import PinRotation
package import PinRules
import PinValidator

/// What to simulate: the policy, the releases before it, what servers showed, and what is planned.
package struct RotationQuestion: Sendable {
  /// A change of what a host presents, as somebody plans it.
  package struct ServerChange: Hashable, Sendable {
    package var host: HostName
    /// Nil for every port at which the host is asked.
    package var port: UInt16?
    /// The names of the keys in the chain from then on, from the leaf upwards.
    ///
    /// Of one key alone that is at the leaf, the rest of the chain stays as it was. `unknown` is a new key that no
    /// manifest has, as a renewal makes it, unless the policy has a key of that name.
    package var keys: [String]
    package var instant: Instant

    package init(host: HostName, port: UInt16?, keys: [String], instant: Instant) {
      self.host = host
      self.port = port
      self.keys = keys
      self.instant = instant
    }
  }

  package var policy: CheckedPolicy
  /// In order of release.
  package var released: [ReleasedManifest]
  /// What live servers showed; nil where nobody looked, and then the active keys of key sets are assumed.
  package var evidence: Evidence?
  /// The trust stores to judge under; empty for those that the evidence records.
  package var stores: [NamedStore] = []
  /// The instant that counts as now, at which the policy would be released.
  package var now: Instant
  /// Up to when is looked ahead; nil for one adoption window and a day behind the last planned step.
  package var end: Instant?
  /// Whether ends of exceptions and certificates beyond that count: the last step of a plan isn't known yet.
  package var knowsLaterEnds = false
  /// Planned changes besides those of the policy's own `steps:`.
  package var serverChanges: [ServerChange] = []
  /// Names of keys that the next release denies.
  package var denied: [String] = []
  /// Names of keys that are lost now: servers change to what suits most clients.
  package var lost: [String] = []
  /// True where nothing is released after the policy, so that it runs out.
  package var isFrozen = false
  /// Which futures are played beside all this.
  package var futures = FutureChoice.all
  /// How many senders were measured to run which release of the releases' audience; nil where nobody measured.
  package var adoption: Adoption?
  /// Rules of the user's own, whose findings are listed with those of the release.
  package var ownRules: [Rule] = []
  /// Whether a server's next certificate is known to have the key of the present one.
  package var keepsKey: @Sendable (HostName, UInt16) -> Bool = { _, _ in false }

  /// The options that name what clients have and whose signatures on it count, for commands in help.
  package var releaseOptions = CheckInput.placeholders

  package init(policy: CheckedPolicy, released: [ReleasedManifest], now: Instant) {
    self.policy = policy
    self.released = released
    self.now = now
  }
}

/// A policy, simulated from the releases that clients have.
package struct RotationStudy {
  package let question: RotationQuestion
  package let world: RotationWorld
  /// Every lockout of the scenario.
  package let lockouts: [Lockout]

  package var policy: Policy { question.policy.policy }
  package var scenario: Scenario { world.scenario }

  /// Simulates what a question asks.
  ///
  /// - Parameters:
  ///   - question: The policy, the releases before it, and what else is known.
  ///   - compiler: The compiler and its version.
  /// - Throws: ``RotationWorldError`` where the question can't be put in the terms of the model.
  package init(_ question: RotationQuestion, compiler: String) throws(RotationWorldError) {
    world = try RotationWorld.build(question, compiler: compiler)
    self.question = question
    lockouts = Simulation(world.scenario).lockouts()
  }

  /// What the policy gives a date, key by key.
  package var plannedSteps: [PlannedStep] {
    policy.keys.flatMap { key in
      key.steps.dated.map { PlannedStep(key: key.name.value, status: $0.status.rawValue, instant: $0.instant.value) }
    }
  }

  /// How the releases, and what would come next, don't follow from one another.
  package var historyProblems: [HistoryProblem] {
    let candidate = ReleaseRecord(
      name: "this policy", audience: world.candidate.audience, serial: nil, issued: question.now, digest: nil,
      previous: nil)
    return HistoryProblem.find(in: question.released.map(\.record), candidate: candidate)
  }

  /// What the candidate says that the newest release doesn't; nil where nothing is released yet.
  package func comparison() -> Comparison? {
    guard let release = question.released.last else { return nil }
    let newest = release.manifest
    var changes = ManifestChanges(from: newest, to: world.candidate)
    if let window = release.window.flatMap({ SettingChange(ofWindowFrom: $0, to: scenario.window) }) {
      // First among changes of the same risk, because the adoption window affects how the others are judged.
      changes.settings.insert(
        window, at: changes.settings.firstIndex { $0.risk <= window.risk } ?? changes.settings.count)
    }
    return Comparison(newest: newest, changes: changes)
  }

  /// The newest release, and what the candidate changes of it.
  package struct Comparison {
    package let newest: Manifest
    package let changes: ManifestChanges
  }

  /// Asks the rules about rotation.
  ///
  /// - Parameters:
  ///   - comparison: What ``comparison()`` answered.
  ///   - allowsMassChange: Whether somebody said that many hosts are meant to change at once.
  /// - Returns: The findings, and those that a suppression accepts for now.
  package func findings(on comparison: Comparison, allowsMassChange: Bool) -> Checker.Result {
    var rotation = RotationInput(
      scenario: scenario, lockouts: lockouts, losses: LossAnalysis(scenario).losses(), changes: comparison.changes,
      newest: comparison.newest, historyProblems: historyProblems, futures: futures(onlyNew: true),
      adoption: question.adoption, allowsMassChange: allowsMassChange)
    rotation.certificates = world.certificates
    // A commit isn't the manifest that clients have, so its expiry isn't known.
    let further = Self.furtherRules + (question.released.last?.serial == nil ? [] : [Rule.baselineExpiring])
    let codes = Set(further.map(\.code))
    let rules = Rule.catalogue.filter { $0.family == .rotation || codes.contains($0.code) }
    return check(rotation, rules + question.ownRules)
  }

  private func check(_ rotation: RotationInput, _ rules: [Rule]) -> Checker.Result {
    let live = world.assessment.map { LiveInput(assessment: $0) }
    var input = CheckInput(policy: policy, baseline: rotation.newest, live: live, rotation: rotation, at: question.now)
    input.releaseOptions = question.releaseOptions
    return Checker.check(input, rules: rules)
  }

  /// What a headline says where ``untriedTrust`` isn't empty.
  package static let untried = "trust not tried (see \(Rule.trustTightened.code))"

  /// Which trust settings may reject more than those of the newest release, as far as no evidence shows otherwise.
  package var untriedTrust: [String] {
    guard let comparison = comparison() else { return [] }
    var scenario = scenario
    // A loss doesn't unsay what evidence showed of the server.
    let seen = Set((world.assessment?.targets ?? []).lazy.filter(\.hasAnswered).map { HostPort($0.host, $0.port) })
    for number in scenario.servers.indices where scenario.servers[number].phases.first?.source == .afterLoss {
      let server = scenario.servers[number]
      if seen.contains(HostPort(server.host, server.port)) { scenario.servers[number].phases[0].source = .observed }
    }
    var rotation = RotationInput(
      scenario: scenario, lockouts: [], losses: [], changes: comparison.changes, newest: comparison.newest,
      historyProblems: [], futures: [], adoption: nil, allowsMassChange: true)
    rotation.certificates = world.certificates
    return check(rotation, [Rule.trustTightened]).diagnostics.filter { $0.severity != .note }
      .map { "\($0.message) (\($0.code))" }
  }

  /// What else concerns a release: hosts on which some clients can't decide, keys that some can't verify, hosts that
  /// enforce without a trial, and evidence of another time.
  private static let furtherRules: [Rule] = [.undecidableByLeaf, .unverifiableKey, .newHostEnforces, .evidenceOld]
}

extension ReleasedManifest {
  /// What it says of itself and of the one before it.
  package var record: ReleaseRecord {
    ReleaseRecord(
      name: name, audience: loaded.audience, serial: serial, issued: issued, digest: digest,
      previous: loaded.tables.header.previous, epoch: epoch)
  }
}

extension RotationStudy {
  /// Checks a policy and simulates it.
  ///
  /// - Parameters:
  ///   - policy: The policy as it would be released.
  ///   - released: What clients have, in order of release.
  ///   - now: The instant that counts as now.
  ///   - ask: Adds to the question what else is known: evidence, planned changes, losses.
  /// - Throws: ``WorkFailure``; where the policy has errors, with exit status 2, and they are shown before.
  package init(
    of policy: LoadedPolicy, after released: [ReleasedManifest], at now: Instant,
    asking ask: (inout RotationQuestion) -> Void
  ) throws(WorkFailure) {
    let checked = try policy.checked(
      at: now,
      orFail: WorkFailure(
        .findings, "the policy has errors, so it can't be released",
        help: "Fix the errors above and run the command again."), isUnsafe: true)
    var question = RotationQuestion(policy: checked, released: released, now: now)
    ask(&question)
    do {
      try self.init(question, compiler: Version.compiler)
    } catch {
      if let help = error.help { throw WorkFailure(.usage, error.message, help: help) }
      throw WorkFailure(.failed, "the policy can't be simulated: \(error.message)")
    }
  }

  /// Refuses to play releases that don't follow from one another: who runs which of them when can't be said.
  ///
  /// - Throws: ``WorkFailure`` with exit status 6.
  package func requireOrder() throws(WorkFailure) {
    guard let problem = historyProblems.first else { return }
    throw WorkFailure(.refused, problem.phrase.message, help: problem.phrase.help)
  }
}
