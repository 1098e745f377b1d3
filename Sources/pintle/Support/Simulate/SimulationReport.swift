import Diagnostics
import Pages
import PinFormat
import PinPolicy
import PinProbe
import PinRotation
import PinRules

/// What a simulation came to: all that its text, its JSON and its page show.
struct SimulationReport {
  let study: RotationStudy
  let timeline: SimulationTimeline
  let certificates: [CertificateSpan]
  /// What the loss of each presented key would do; empty where a loss is what is played.
  let losses: [KeyLoss]
  /// The first client that is locked out by what is played.
  let witness: Witness?

  init(_ study: RotationStudy) {
    self.study = study
    let scenario = study.scenario
    certificates = study.world.assessment.map { CertificateSpan.observed(in: $0, of: scenario) } ?? []
    timeline = SimulationTimeline(
      scenario, lockouts: JudgedLockout.all(study.lockouts, in: scenario), certificates: certificates,
      steps: study.plannedSteps)
    losses = study.question.lost.isEmpty ? LossAnalysis(scenario).losses() : []
    witness = timeline.first.map { [timeline] number in
      Witness(timeline.lockouts[number].lockout, in: scenario) { timeline.names[$0] }
    }
  }

  /// Clients that nothing is reported about.
  var blindSpots: [String] {
    study.blindSpots + BlindSpot.outdated(study.scenario)
  }

  /// What is assumed, in the order in which it is shown.
  var assumptions: [RotationPage.Assumption] {
    let question = study.question
    var all = [
      RotationPage.Assumption("Adoption window", Wording.duration(study.scenario.window)),
      RotationPage.Assumption("Clients", clients), RotationPage.Assumption("Servers", servers),
      RotationPage.Assumption("Releases", releases),
    ]
    func add(_ term: String, _ items: [String]) {
      if !items.isEmpty { all.append(RotationPage.Assumption(term, ChangeGroup.list(items, most: 8))) }
    }
    add("Servers change", question.serverChanges.map(\.text))
    add("Lost", question.lost.map { "'\($0)'" })
    add("Denied", question.denied.map { "'\($0)'" })
    for spot in blindSpots { all.append(RotationPage.Assumption("Not checked", spot)) }
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
      ? "stop after this policy, which is stale from \(study.world.candidate.expires) on"
      : "continue: the newest release is issued again before it is stale"
  }

  /// The page for people.
  var page: RotationPage {
    RotationPage(
      timeline: timeline, certificates: certificates, losses: losses, assumptions: assumptions, witness: witness,
      tool: Version.compiler)
  }
}

extension RotationQuestion.ServerChange {
  /// `api.example.com to 'web-2027' on 2027-02-01T00:00:00Z`.
  fileprivate var text: String {
    let chain = keys.map { "'\($0)'" }.joined(separator: " + ")
    return "\(HostLabel.text(host: host, port: port)) to \(chain) on \(instant)"
  }
}
