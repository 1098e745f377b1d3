import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules
import PinValidator

/// What somebody who follows a plan has to know besides.
struct RotationWarnings {
  private let proposal: RotationProposal

  init(_ proposal: RotationProposal) {
    self.proposal = proposal
  }

  /// One sentence or two each.
  var all: [String] {
    [assumption, others, barred, kept, noBackup, compromised, denied, planned, recent, leftAnchors].compactMap { $0 }
      + measured + blindSpots + remaining + proposal.elsewhere
  }

  private var assumption: String? {
    let assumed = proposal.assumed
    guard !assumed.isEmpty else { return nil }
    let whom =
      assumed.count == proposal.plan.servers.count
      ? "It isn't known what the servers present" : "It isn't known what \(list(assumed)) present"
    return "\(whom), so any active key is assumed. Record evidence with "
      + "'pintle probe \(proposal.commands.probe) --record fleet.json' and pass --evidence fleet.json."
  }

  /// Who asks for a host may not know who else has the same keys.
  private var others: String? {
    guard let host = proposal.target.host else { return nil }
    let labels = proposal.labels(proposal.plan.servers).filter { $0 != host }
    guard !labels.isEmpty else { return nil }
    let names = Wording.list(labels)
    return labels.count == 1
      ? "\(names) has the same keys: it changes as well, unless it gets its own key set."
      : "\(names) have the same keys: they change as well, unless they get their own key set."
  }

  /// Backups to which servers would change in the meantime, if all audiences had them.
  private var barred: String? {
    var names: [String: [String]] = [:]
    for bound in proposal.plan.goal.bounds where bound.earliest == .latest {
      guard case .serve(let pin) = bound.step else { continue }
      names[bound.audience, default: []] += proposal.names.known(PresentedChain([pin]))
    }
    let parts = names.sorted { $0.key < $1.key }.map { audience, names in
      "not all clients of '\(audience)' accept \(Wording.list(names, joinedBy: "or")) yet"
    }
    guard !parts.isEmpty else { return nil }
    let whose = parts.joined(separator: ", and ")
    return whose.prefix(1).uppercased() + whose.dropFirst() + ": the servers can't change to them in the meantime."
  }

  private var kept: String? {
    let kept = proposal.plan.keptAsBackup.map(\.name)
    guard !kept.isEmpty else { return nil }
    let names = Wording.list(kept)
    let verb = kept.count == 1 ? "stays" : "stay"
    return "\(names) \(verb) as a backup, because no other is left. Make a new backup, and rotate to it later."
  }

  private var noBackup: String? {
    guard proposal.plan.outcome.contains(where: \.backup.isEmpty) else { return nil }
    return "No backup is left in the end. Add a key that no server presents to 'backup:' with the first release."
  }

  private var compromised: String? {
    guard !proposal.plan.compromised.isEmpty else { return nil }
    let names = Wording.list(proposal.plan.compromised.map(\.name))
    return
      "\(names) is denied and presented: anyone who has it can impersonate the servers until the denial is released."
  }

  /// A denial can't be undone here: that is for anybody who knows why it was made.
  private var denied: String? {
    let postponed = proposal.plan.steps.contains {
      if case .release(let release) = $0.action { !release.postponedDenials.isEmpty } else { false }
    }
    guard postponed else { return nil }
    return "Remove 'denied:' by hand for the releases that must not have it yet, and add it again after the change."
  }

  /// The plan ignores the policy's own dates, so dates that are too early need a warning.
  var planned: String? {
    let key = proposal.policy.keys[proposal.target.key]
    let serving = proposal.plan.steps.first { if case .serve = $0.action { true } else { false } }
    guard let date = key.steps.active?.value, let serving, proposal.now < date, date < serving.earliest else {
      return nil
    }
    return "The policy plans '\(proposal.key)' to be served from \(date) on ('steps:'), which is too early; change it "
      + "to \(serving.earliest)."
  }

  /// A release that repairs a lockout comes too late to those who matched, just before it, a key that it removes: their
  /// activation guard rejects it (docs/updates.md).
  private var recent: String? {
    guard case .release(let release)? = proposal.plan.steps.first?.action,
      proposal.plan.remaining.contains(where: {
        $0.begin <= proposal.now && proposal.plan.servers.contains($0.server.number)
      })
    else { return nil }
    let keys = release.drops.filter { key in !release.denies.contains { $0.pin == key.pin } }.map(\.name)
    guard !keys.isEmpty else { return nil }
    return
      "Clients that matched \(Wording.list(keys, joinedBy: "or")) within the last day reject step 1 for up to a day "
      + "('refuses-recent-chain'), and stay locked out. If there may be such clients, release the policy with "
      + "\(keys.count == 1 ? "that key" : "those keys") first, and do step 1 a day later."
  }

  /// Anchors that none of the active keys in the end needs, where each of these is an anchor itself.
  private var leftAnchors: String? {
    let pins = Set(proposal.plan.outcome.flatMap(\.active).map(\.pin))
    let others = Set(proposal.plan.outcome.flatMap(\.backup).map(\.pin)).subtracting(pins)
    var left: [String: Place] = [:]
    for entry in proposal.policy.hosts where entry.keySet?.value == proposal.target.keySet {
      let files = entry.trust?.anchorFiles ?? []
      guard entry.trust?.systemAnchors == false, pins.isSubset(of: files.flatMap(\.value).map(\.pin)) else { continue }
      for file in files where !file.value.contains(where: { pins.contains($0.pin) || others.contains($0.pin) }) {
        if let path = file.value.first?.path { left[path] = left[path] ?? file.place }
      }
    }
    guard !left.isEmpty else { return nil }
    let sources = proposal.policy.sources
    let names = left.sorted { $0.key < $1.key }.map { path, place in
      "'\(VisibleText.of(path))' (\(sources[place.file].path):\(place.start.line))"
    }
    let (stays, it) = left.count == 1 ? ("stays", "it") : ("stay", "them")
    return
      "\(names.listed()) \(stays) in 'anchors:', and no active key needs \(it) in the end: remove \(it) "
      + (proposal.plan.steps.isEmpty ? "with the next release" : "in the release after the last step")
      + (others.isEmpty ? "." : ", unless a backup's certificate ends there.")
  }

  private var measured: [String] { (proposal.study.measured?.notes ?? []).map { "Adoption: " + $0 + "." } }

  private var blindSpots: [String] {
    let served = Set(
      proposal.plan.steps.compactMap { if case .serve(let change) = $0.action { change.key.pin } else { nil } })
    let keys = proposal.policy.keys.filter { $0.pin.map(served.contains) ?? false }
    let spots = proposal.study.blindSpots
    let assumed = proposal.study.assumptions(of: keys).filter { !spots.contains($0) }
    return (spots + assumed + proposal.study.untriedTrust).map { "Not checked: " + $0 + "." }
  }

  private var remaining: [String] {
    let plan = proposal.plan
    // Certificates that end later are for later releases.
    let lockouts = plan.remaining.filter { !$0.isByEnd || $0.isByClock || $0.begin < plan.end }
    guard let first = lockouts.min(by: { $0.begin < $1.begin }) else { return [] }
    let begin = first.begin
    let servers = Wording.list(Set(lockouts.map(\.server)).sorted().map(\.label))
    guard begin > proposal.now else {
      return [
        "Clients are locked out of \(servers) independently of this plan; 'pintle simulate \(proposal.commands.simulate)' "
          + "shows which and why."
      ]
    }
    return [
      "Clients are locked out of \(servers) from \(begin) on, "
        + (first.isByEnd ? "because \(first.reason), " : "")
        + "independently of this plan; 'pintle simulate \(proposal.commands.simulate) --until "
        + "\(begin.adding(seconds: 86_400))' shows which and why."
    ]
  }

  private func list(_ servers: [Int]) -> String { Wording.list(proposal.labels(servers)) }
}
