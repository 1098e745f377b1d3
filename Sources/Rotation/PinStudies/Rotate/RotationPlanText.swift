import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRotation
import PinRules

/// A rotation for people: where things are, what to do when, and what not to do yet.
package struct RotationPlanText {
  private let proposal: RotationProposal

  package init(proposal: RotationProposal) { self.proposal = proposal }

  package func text() -> String {
    var parts = [standing()]
    let done = milestones()
    if !done.isEmpty { parts.append("DONE\n" + done) }
    let steps = proposal.plan.steps.indices.map { block(StepText(proposal, $0)) }
    if !steps.isEmpty { parts.append("STEPS\n" + steps.joined(separator: "\n")) }
    let barred = proposal.progress.barred.map { "  " + StepText(proposal, $0.step).bar($0) + "\n" }
    if !barred.isEmpty { parts.append("NOT YET\n" + barred.joined()) }
    parts.append("IN THE END\n" + outcome())
    let warnings = RotationWarnings(proposal).all
    if !warnings.isEmpty { parts.append("NOTES\n" + warnings.map { "  \($0)\n" }.joined()) }
    parts.append(next + "\n")
    return parts.joined(separator: "\n")
  }

  /// The answer of `--check`: the step that one is on, and whether it may be done.
  package func check() -> String {
    var text = next + "\n"
    if proposal.progress.next != nil {
      let step = StepText(proposal, 0)
      if let wait = step.wait, !proposal.progress.isDue { text += "  \(wait)\n" }
      text += step.lines.map { "  \($0)\n" }.joined()
    }
    let later = proposal.progress.barred.filter { $0.step > 0 || !proposal.progress.isDue }
    return text + later.map { StepText(proposal, $0.step).bar($0) + "\n" }.joined()
  }

  /// Which step is next, and whether it may be done.
  private var next: String {
    guard proposal.progress.next != nil else {
      return proposal.tidying.isEmpty
        ? "done: nothing is left to do"
        : "done: nothing is left to do; --write updates the policy's lists and 'status:'"
    }
    let step = StepText(proposal, 0)
    return "next: step \(step.count) of \(proposal.progress.total), \(step.title), \(step.date)"
  }

  // MARK: Parts

  private func standing() -> String {
    var table = Table()
    if let host = proposal.target.host { table.add("host", "\(host), governed by \(proposal.label)") }
    let set = proposal.policy.keySets[proposal.target.keySet]
    table.add("policy", content(active: names(set.active), backup: names(set.backup)))
    table.add("servers", "\(proposal.plan.servers.count): \(Self.plain(proposal.labels(proposal.plan.servers)))")
    for (keys, servers) in presented() {
      let all = servers.count == proposal.plan.servers.count ? "" : " by \(Self.plain(proposal.labels(servers)))"
      let isAssumed = servers.allSatisfy { proposal.assumed.contains($0) }
      table.add("presented", "\(keys)\(all)\(isAssumed ? " (assumed)" : "")")
    }
    for (release, end) in proposal.running {
      table.add("clients", "\(release.name), released \(release.issued), \(end.map { "until \($0)" } ?? "the newest")")
    }
    table.add("window", Wording.duration(proposal.study.scenario.window))
    return "ROTATION of \(proposal.label) to '\(proposal.key)', at \(proposal.now)\n" + table.text(indent: 2)
  }

  private func names(_ members: [Policy.KeySet.Member]) -> [String] {
    members.map { proposal.policy.keys[$0.key].name.value }
  }

  private func content(active: [String], backup: [String]) -> String {
    "active \(Self.plain(active)); backup \(Self.plain(backup))"
  }

  package static func plain(_ names: [String]) -> String {
    guard !names.isEmpty else { return "none" }
    return names.count > 5
      ? names.prefix(4).joined(separator: ", ") + " and \(names.count - 4) more"
      : names.joined(separator: ", ")
  }

  /// What servers present now, those with the same keys together.
  private func presented() -> [(keys: String, servers: [Int])] {
    var groups: [(keys: String, servers: [Int])] = []
    for server in proposal.plan.servers {
      let names = proposal.presented(by: server)
      let keys = names.isEmpty ? "no known key" : Self.plain(names)
      if let place = groups.firstIndex(where: { $0.keys == keys }) {
        groups[place].servers.append(server)
      } else {
        groups.append((keys, [server]))
      }
    }
    return groups
  }

  private func milestones() -> String {
    proposal.plan.done.enumerated().map { number, milestone in
      let text =
        switch milestone {
        case .published(let since, let release):
          "'\(proposal.key)' is in every release from \(release) on, since \(since)"
        case .served(let since, let isAssumed):
          "all servers present '\(proposal.key)'"
            + (isAssumed
              ? " (assumed)" : proposal.study.world.assessment.map { ", observed \($0.ended)" } ?? " since \(since)")
        case .dropped(let since, let release, let keys):
          "\(Wording.list(keys.map(\.name))) is in no release from \(release) on, since \(since)"
        }
      return "  \(number + 1). \(text)\n"
    }.joined()
  }

  private func block(_ step: StepText) -> String {
    let lines = [step.wait].compactMap { $0 } + step.lines
    return "  \(step.count). \(step.title), \(step.date)\n" + lines.map { "     \($0)\n" }.joined()
  }

  private func outcome() -> String {
    proposal.plan.outcome.map { set in
      "  " + content(active: set.active.map(\.name), backup: set.backup.map(\.name)) + "\n"
    }.joined()
  }
}
