import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules
import PinValidator

/// Why there is no plan, and what to do about it.
struct RotationRefusal {
  private let error: RotationPlanError
  private let key: String
  private let keySet: String
  private let study: RotationStudy

  /// Takes the names of the key to come to and of the key set.
  init(_ error: RotationPlanError, to key: String, in keySet: String, _ study: RotationStudy) {
    self.error = error
    self.key = key
    self.keySet = keySet
    self.study = study
  }

  var failure: WorkFailure {
    switch error {
    case .noPolicy, .unknownKeySet, .noServers:
      WorkFailure(
        .usage, "no server is governed by the keys of '\(keySet)'", help: "Name a key set that a host entry uses.")
    case .targetDenied(let reason):
      WorkFailure(
        .unsafeRotation, "'\(key)' is denied: \(reason)",
        help: "Clients that have the denial block servers that present this key. Rotate to another key.")
    case .targetRefused(let witness):
      WorkFailure(
        .unsafeRotation,
        "no release would accept '\(key)' at \(witness.server.label): \(witness.reason)",
        help: help(against: witness))
    case .unsafe(let witness):
      WorkFailure(
        .unsafeRotation,
        "no way to '\(key)' is safe: clients with \(witness.release.name) would be locked out of "
          + "\(witness.server.label) from \(witness.begin) on: \(witness.reason)",
        help: helpBefore(witness))
    case .unhealthy(let server, let reason):
      WorkFailure(
        .unsafeRotation,
        "connections to \(server.label) fail for a reason other than pins: \(reason)",
        help: "A plan can only be checked against a chain that clients accept. Fix the server, or "
          + (hasOwnAnchorsOnly(server) ? "the 'anchors:' of its entry" : "pass the right --trust-store")
          + "; record the evidence again with 'pintle probe --record'; then plan again.")
    case .entryBlocks(let server, let since, let step):
      WorkFailure(
        .unsafeRotation,
        "the entry of \(server.label) expires at \(since), and clients block from then on: the "
          + "plan's last step is on \(step), and an adoption window follows it",
        help: "Set 'expires:' of the entry to \(Self.day(from: end(after: step))) or later, and plan again.")
    case .clockBlocks(let witness, let servers, let step):
      WorkFailure(
        .unsafeRotation,
        "clients would be locked out of \(Wording.list(servers.map(\.label), most: 4)) from "
          + "\(witness.begin) on, because \(witness.reason): the plan's last step is on \(step), and an "
          + "adoption window follows it",
        help: remedy(witness.obstacle) + " \(Self.day(from: end(after: step))) or later, and plan again.")
    case .manifest(let error):
      WorkFailure(.failed, "a release of the plan can't be made: \(error.message)")
    }
  }

  /// Whether no trust store counts for a server.
  private func hasOwnAnchorsOnly(_ server: Server) -> Bool {
    let candidate = study.scenario.releases.last { $0.origin == .candidate }
    return candidate?.manifest.trust(at: HostPort(server.host, server.port)).map { !$0.systemAnchors } ?? false
  }

  private func remedy(_ obstacle: Lockout.Obstacle) -> String {
    switch obstacle {
    case .exceptionEnded: "Replace the certificate before, or set the exception's 'until:' to"
    case .untrusted: "Replace the certificate in 'trust:' with one that lasts until"
    case .verdict: "Set 'expires:' of the entry to"
    }
  }

  /// When nothing looks ahead any further, neither at the plan's last release nor at a release of now.
  private func end(after step: Instant) -> Instant {
    max(study.scenario.end, Scenario.end(after: step, window: study.scenario.window))
  }

  /// The first day that begins at or after an instant.
  static func day(from instant: Instant) -> String {
    let day = Instant(secondsSinceEpoch: (instant.secondsSinceEpoch + 86_399) / 86_400 * 86_400)
    return String(day.description.prefix { $0 != "T" })
  }

  /// What to do where no release accepts what the servers would present in the end.
  private func help(against witness: PlanWitness) -> String {
    switch witness.obstacle {
    case .untrusted, .verdict(.untrusted):
      "Pins can't change that. Fix the certificate, the server's settings, or 'anchors:', 'intermediates:' and "
        + "the limits in the 'trust:' of the entry; then plan again."
    case .verdict(.deniedKey):
      "The servers would still present \(deniedKey(witness)): a change to '\(key)' keeps the rest of the chain. Rotate to "
        + "a key that takes its place first."
    case .verdict(.unpinnedHost(.expired)): Cause.entryExpired.remedy + "; then plan again."
    case .exceptionEnded, .verdict(.expired(.entry)): witness.obstacle.cause.remedy + "; then plan again."
    case .verdict: "Check the key's 'position:' and the 'require:' of the host's entry."
    }
  }

  /// What to do where clients would be locked out on the way.
  private func helpBefore(_ witness: PlanWitness) -> String {
    switch witness.obstacle {
    case .verdict(.deniedKey) where witness.release.serial != nil:
      "Clients already have the denial of \(deniedKey(witness)): the servers must stop presenting it first."
    case .verdict(.deniedKey):
      "Servers present \(deniedKey(witness)). Remove its 'denied:' until they no longer do, and plan again."
    case .untrusted, .verdict(.untrusted), .exceptionEnded: help(against: witness)
    case .verdict: "'pintle simulate' shows when the policy locks clients out. Fix that first, and plan again."
    }
  }

  /// As messages name it.
  private func deniedKey(_ witness: PlanWitness) -> String {
    guard case .verdict(.deniedKey(let match)) = witness.obstacle,
      let name = KeyNames(study.scenario).known(PresentedChain([witness.chain.pins[match.certificate]])).first
    else { return "a denied key" }
    return "'\(name)', which is denied"
  }
}
