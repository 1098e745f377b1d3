import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
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
        help: "Every client that has the denial blocks a server that presents the key; change to another key.")
    case .targetRefused(let witness):
      WorkFailure(
        .unsafeRotation,
        "no release would accept '\(key)' at \(label(witness)): \(study.reason(of: witness))",
        help: help(against: witness))
    case .unsafe(let witness):
      WorkFailure(
        .unsafeRotation,
        "no way to '\(key)' is safe: clients with \(witness.release) would be locked out of "
          + "\(label(witness)) from \(witness.begin) on: \(study.reason(of: witness))",
        help: "Run 'pintle simulate' to see what happens when, and fix that first.")
    case .unhealthy(let server, let reason):
      WorkFailure(
        .unsafeRotation,
        "connections to \(study.scenario.servers[server].label) fail for a reason other than pins: \(reason)",
        help: "A plan can only be checked against a chain that clients accept. Fix the server, or pass the "
          + "right --trust-store; record the evidence again with 'pintle probe --record'; then plan again.")
    case .entryBlocks(let server, let since, let step):
      WorkFailure(
        .unsafeRotation,
        "the plan's last step, on \(step), is too late: the entry of \(study.scenario.servers[server].label) expires on "
          + "\(since), and clients block from then on",
        help: "Set 'expires:' of the entry to \(Self.firstDay(after: step)) or later, and plan again.")
    case .clockBlocks(let witness, let step):
      WorkFailure(
        .unsafeRotation,
        "the plan's last step, on \(step), is too late: clients would be locked out of \(label(witness)) from "
          + "\(witness.begin) on: \(study.reason(of: witness))",
        help: "Set that date to \(Self.firstDay(after: step)) or later, and plan again.")
    case .manifest(let error):
      WorkFailure(.failed, "a release of the plan can't be made: \(error.message)")
    }
  }

  /// A step isn't put off to the day on which its entry expires.
  private static func firstDay(after step: Instant) -> String {
    let day = Instant(secondsSinceEpoch: (step.secondsSinceEpoch / 86_400 + 1) * 86_400)
    return String(day.description.prefix { $0 != "T" })
  }

  private func help(against witness: PlanWitness) -> String {
    guard case .untrusted = witness.obstacle else {
      return "Check the key's 'position:' and the 'require:' of the host's entry."
    }
    return "Pins can't change that. Fix the certificate, the server's settings, or 'anchors:', 'intermediates:' and "
      + "the limits in the 'trust:' of the entry; then plan again."
  }

  private func label(_ witness: PlanWitness) -> String { study.scenario.servers[witness.server].label }
}

extension RotationStudy {
  /// Why the clients of a plan's witness go away, in one clause.
  func reason(of witness: PlanWitness) -> String {
    switch witness.obstacle {
    case .untrusted(let reason): return "trust evaluation fails: " + reason
    case .exceptionEnded: return "the exception that excused the certificate has ended"
    case .verdict(let reason):
      switch reason {
      case .mismatch: return "they accept none of the keys that it would present"
      case .deniedKey: return "they deny a key that it would present"
      case .expired(.entry): return "its entry has expired and blocks"
      case .expired(.manifest): return "the manifest is stale, and blocks"
      case .unpinnedHost: return "they don't pin it, and deny hosts that aren't pinned"
      case .untrusted, .noManifest, .invalidHost, .unreadableChain: return "trust evaluation fails"
      }
    }
  }
}
