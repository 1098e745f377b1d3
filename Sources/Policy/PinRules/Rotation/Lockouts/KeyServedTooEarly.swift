import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// A key that servers present before every client accepts it.
  static let keyServedTooEarly = Rule(
    code: "P604",
    name: "key-served-too-early",
    severity: .error,
    title: "A server presents a key, or will, before every client accepts it.",
    rationale: """
      A key is published first and served later: for an adoption window after the release that first has it, clients may
      still run a manifest without it, and they block a server that presents it. This applies to a step that is planned
      with `steps: { active: DATE }`, for a key that becomes `active` in its key set in the very release that publishes
      it, and for a planned change to a key that no release has at all.
      """,
    failing: .rotation(
      RotationLines.api("api-2027", backup: "api-2025, spare"),
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare"))),
    passing: .rotation(
      RotationLines.api("api-2025", backup: "api-2027, spare"),
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare"))),
    citation: "docs/rotation.md#the-life-of-a-key; RFC 7469 section 4.3",
    check: .rotation { _, facts in
      facts.groups(.servedTooEarly).map { group in
        let keys = group.keys.isEmpty ? "a key that no release has" : facts.keyList(group.keys)
        return facts.finding(
          group,
          "\(keys) \(facts.presentation(group)), and \(facts.clients(group)) don't have it: they are locked out",
          help: facts.waitHelp(group))
      }
    })
}

extension RotationFacts {
  /// When the servers may present the key.
  fileprivate func waitHelp(_ group: LockoutGroup) -> String {
    guard !group.keys.isEmpty else {
      return "Publish the key in a release, and change the servers \(Wording.duration(scenario.window)) after that."
    }
    let keys = keyList(group.keys)
    guard case .notYetPublished(let first?) = group.cause else {
      let date = candidate.map { everyClientRuns(from: $0) } ?? scenario.now.adding(seconds: scenario.window)
      return "Publish \(keys)\(setTitle(group).map { " in \($0)" } ?? "") first; released now, every client has it by "
        + "\(date), and the servers may change then."
    }
    // A key may have reached all clients long ago, and be accepted only together with another one.
    let date = group.keys.compactMap { reach(of: $0, group.first.server.part) }
      .reduce(everyClientRuns(from: first), max)
    switch group.first.phase.source {
    case .assumed:
      let newest = (candidate ?? scenario.releases.count) - 1
      let listed = newest < 0 ? nil : acceptedKeys(ofRelease: newest, group.first.server.part)
      let verb = listed?.isSuperset(of: group.keys) ?? false ? "Keep" : "List"
      return
        "\(verb) \(keys) under 'backup:' until \(date), when every client has it, and leave the servers as they are. "
        + "If a server presents it already, prove that: pintle probe \(policy.sources.folder) --record fleet.json; then add "
        + "--evidence fleet.json."
    case .observed, .planned, .afterLoss:
      return "Have the servers present \(keys) from \(date) on, when every client has it."
    }
  }
}
