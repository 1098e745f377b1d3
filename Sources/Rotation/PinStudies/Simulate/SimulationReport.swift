package import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
package import PinRotation
import PinRules

/// What a simulation came to: all that its text, its JSON and its page show.
package struct SimulationReport {
  package let study: RotationStudy
  package let timeline: SimulationTimeline
  package let certificates: [CertificateSpan]
  /// What the loss of each presented key would do; empty where a loss is what is played.
  package let losses: [KeyLoss]
  /// What nobody plans and the policy would block.
  package let futures: [Future]
  /// The names of keys that servers come to present after a loss in another certificate than their files have, by the
  /// server's label.
  package let renewed: [String: Set<String>]
  /// What may be rejected of the policy's trust settings, as nobody has tried.
  package let untriedTrust: [String]
  /// The first client that is locked out by what is played.
  package let witness: Witness?

  package init(_ study: RotationStudy) {
    self.study = study
    let scenario = study.scenario
    certificates = study.world.assessment.map { CertificateSpan.observed(in: $0, of: scenario) } ?? []
    timeline = SimulationTimeline(
      scenario, lockouts: JudgedLockout.known(study.lockouts, in: scenario), certificates: certificates,
      steps: study.plannedSteps)
    losses = study.question.lost.isEmpty ? LossAnalysis(scenario).losses() : []
    futures = study.futures()
    untriedTrust = study.untriedTrust
    var renewed: [String: Set<String>] = [:]
    let keys = study.question.lost.isEmpty ? [] : study.policy.keys
    for (key, objection) in study.newCertificates(of: keys, .afterLoss) {
      for server in objection.servers { renewed[server, default: []].insert(key.name.value) }
    }
    self.renewed = renewed
    witness = timeline.first.map { [timeline] number in
      Witness(timeline.lockouts[number].lockout) { timeline.names[$0] }
    }
  }

  /// Clients that nothing is reported about.
  package var blindSpots: [String] {
    study.blindSpots + untriedTrust + BlindSpot.outdated(study.scenario)
  }

  /// One thing that is assumed.
  package struct Assumption: Sendable {
    package var term: String
    package var text: String

    init(_ term: String, _ text: String) {
      self.term = term
      self.text = text
    }
  }

  /// What is assumed, in the order in which it is shown.
  package var assumptions: [Assumption] {
    let question = study.question
    var all = [
      Assumption("Adoption window", Wording.duration(study.scenario.window)),
      Assumption("Clients", clients), Assumption("Servers", servers),
      Assumption("Releases", releases),
    ]
    func add(_ term: String, _ items: [String]) {
      if !items.isEmpty { all.append(Assumption(term, ChangeGroup.list(items, most: 8))) }
    }
    add("Servers change", question.serverChanges.map(\.text))
    add("Lost", question.lost.map { "'\($0)'" })
    add("Denied", question.denied.map { "'\($0)'" })
    for note in study.measured?.notes ?? [] { all.append(Assumption("Adoption", note)) }
    for spot in blindSpots { all.append(Assumption("Not checked", spot)) }
    return all
  }

  private var clients: String {
    let released = study.question.released
    guard let first = released.first, let last = released.last else {
      return "none yet: without --against, the policy is simulated as the first release"
    }
    return released.count == 1
      ? "\(first.name) of \(first.issued), then this policy"
      : "\(released.count) releases, \(first.name) of \(first.issued) to \(last.name) of \(last.issued), then this policy"
  }

  private var servers: String {
    guard let assessment = study.world.assessment else {
      return "not observed: they are assumed to present any of their active keys"
    }
    let unseen = study.scenario.servers.count { $0.phases.first?.source == .assumed }
    let seen = "\(counted(study.scenario.servers.count - unseen, "host")) as observed \(assessment.ended)"
    return unseen == 0
      ? seen : "\(seen); \(counted(unseen, "host")) not observed: assumed to present any of its active keys"
  }

  private var releases: String {
    study.question.isFrozen
      ? "this policy is the last release; its manifest expires at \(study.world.candidate.expires), and none replaces it"
      : "continue: the newest release is issued again before it is stale"
  }
}

extension RotationQuestion.ServerChange {
  /// `api.example.com to 'web-2027' on 2027-02-01T00:00:00Z`.
  fileprivate var text: String {
    let chain = keys.map { "'\($0)'" }.joined(separator: " + ")
    return "\(HostLabel.text(host: host, port: port)) to \(chain) on \(instant)"
  }
}
