import Diagnostics
import PinCompiler
import PinFormat
import PinPolicy
import PinRotation
import PinRules

/// What somebody who follows a plan has to know besides.
struct RotationWarnings {
  private let proposal: RotationProposal

  init(_ proposal: RotationProposal) {
    self.proposal = proposal
  }

  /// One sentence or two each.
  var all: [String] {
    [assumption, others, kept, noBackup, compromised, denied, planned].compactMap { $0 } + blindSpots + remaining
  }

  private var assumption: String? {
    let assumed = proposal.assumed
    guard !assumed.isEmpty else { return nil }
    let whom =
      assumed.count == proposal.plan.servers.count
      ? "Nobody looked at what the servers present" : "Nobody looked at what \(list(assumed)) present"
    return "\(whom): any active key is taken for it. Record it with 'pintle probe --record' and give --evidence."
  }

  /// Who asks for a host may not know who else has the same keys.
  private var others: String? {
    guard let host = proposal.target.host else { return nil }
    let labels = proposal.labels(proposal.plan.servers).filter { $0 != host }
    guard !labels.isEmpty else { return nil }
    let names = Wording.list(labels)
    return labels.count == 1
      ? "\(names) has the same keys: it changes as well, or gets a key set of its own."
      : "\(names) have the same keys: they change as well, or get a key set of their own."
  }

  private var kept: String? {
    guard !proposal.plan.keptAsBackup.isEmpty else { return nil }
    let names = Wording.list(proposal.plan.keptAsBackup.map(\.name))
    return "\(names) stays as a backup, since no other would be left. Make a new backup, and rotate to it later."
  }

  private var noBackup: String? {
    guard proposal.plan.outcome.contains(where: \.backup.isEmpty) else { return nil }
    return "No backup is left in the end. Add a key that no server presents to 'backup:' with the first release."
  }

  private var compromised: String? {
    guard !proposal.plan.compromised.isEmpty else { return nil }
    let names = Wording.list(proposal.plan.compromised.map(\.name))
    return "\(names) is denied and presented: whoever has it can stand in for the servers until the denial is released."
  }

  /// A denial can't be undone here: that is for whoever knows why it was made.
  private var denied: String? {
    let postponed = proposal.plan.steps.contains {
      if case .release(let release) = $0.action { !release.postponedDenials.isEmpty } else { false }
    }
    guard postponed else { return nil }
    return "Take 'denied:' out by hand for the releases that must not have it yet, and put it back behind the change."
  }

  /// The policy's own dates are left aside by the plan, so where they are too early somebody has to hear of it.
  private var planned: String? {
    let key = proposal.policy.keys[proposal.target.key]
    let serving = proposal.plan.steps.first { if case .serve = $0.action { true } else { false } }
    guard let date = key.steps.active?.value, let serving, proposal.now < date, date < serving.earliest else {
      return nil
    }
    return "The policy plans '\(proposal.key)' to be served from \(date) on ('steps:'), which is too early; put it off "
      + "to \(serving.earliest)."
  }

  private var blindSpots: [String] {
    proposal.study.blindSpots.map { "Not looked at: " + $0 + "." }
  }

  private var remaining: [String] {
    let lockouts = proposal.plan.remaining
    guard let begin = lockouts.map(\.begin).min() else { return [] }
    let servers = list(Set(lockouts.map(\.server)).sorted())
    guard begin > proposal.now else {
      return ["Clients are locked out of \(servers) whatever is done here; 'pintle simulate' says who and why."]
    }
    return [
      "Clients are locked out of \(servers) from \(begin) on, whatever is done here; 'pintle simulate --until "
        + "\(begin.adding(seconds: 86_400))' says who and why."
    ]
  }

  private func list(_ servers: [Int]) -> String { Wording.list(proposal.labels(servers)) }
}
