import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// A release that changes a large part of the hosts.
  static let massChange = Rule(
    code: "P611",
    name: "mass-change",
    severity: .error,
    title: "More than 30 % of the hosts change at once.",
    rationale: """
      The usual release touches a few hosts. One that touches a third of them is a policy directory that was read from
      the wrong place, a merge that lost a file, or a change that deserves to be released in parts. Counted are the host
      entries that change or are removed, over those of the newest release. An entry whose expiry only moves on isn't
      counted, and one entry alone is never many.
      Who means it says `--allow-mass-change`, and the finding is a note.
      """,
    failing: .rotation(
      RotationLines.api("api-2025", backup: "spare"),
      after: .rotation(
        6, on: "2026-05-01",
        RotationLines.api("api-2025", backup: "spare") + "\n"
          + "  - { host: a.example.com, keys: { active: [api-2025], backup: [spare] } }\n"
          + "  - { host: b.example.com, keys: { active: [api-2025], backup: [spare] } }")),
    passing: .rotation(
      RotationLines.api("api-2025", backup: "spare"),
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare"))),
    citation: "docs/rotation.md#findings",
    check: .rotation { _, facts in
      let changes = facts.rotation.changes
      let parts = [
        ("changed", changes.hosts.count(where: \.isChanged)), ("removed", changes.hosts.count(where: \.isRemoved)),
      ].filter { $0.1 > 0 }
      let count = parts.reduce(0) { $0 + $1.1 }
      guard count > 1, count * 100 > mostChangedPercent * changes.entriesBefore else { return [] }
      return [
        Finding(
          at: facts.releasePlace,
          "\(count) of \(counted(changes.entriesBefore, "host")), \(count * 100 / changes.entriesBefore) %, would change at once: "
            + parts.map { "\($0.1) \($0.0)" }.joined(separator: ", "),
          help: facts.rotation.allowsMassChange
            ? "Read the whole diff; --allow-mass-change says that it is meant."
            : "Look whether a file is missing; where all of it is meant, say --allow-mass-change or release it in parts.",
          severity: facts.rotation.allowsMassChange ? .note : nil)
      ]
    })
}

extension HostChange {
  /// False also where nothing but the expiry changes, and that to a later one: so every entry changes in its time.
  fileprivate var isChanged: Bool {
    guard case .changed(let parts) = kind else { return false }
    return !parts.allSatisfy { part in
      if case .expires = part.field { part.risk == .none } else { false }
    }
  }

  fileprivate var isRemoved: Bool {
    if case .removed = kind { true } else { false }
  }
}

/// The share of the hosts, in percent, above which a change has to be meant.
private let mostChangedPercent = 30
