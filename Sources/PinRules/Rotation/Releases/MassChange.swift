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
      entries that change, are removed or are added, over those of the newest release; one entry alone is never many.
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
      let count = changes.hosts.count
      guard count > 1, count * 100 > mostChangedPercent * changes.entriesBefore else { return [] }
      let added = changes.hosts.count { if case .added = $0.kind { true } else { false } }
      let removed = changes.hosts.count { if case .removed = $0.kind { true } else { false } }
      let parts = [("changed", count - added - removed), ("removed", removed), ("added", added)].filter { $0.1 > 0 }
      let share = changes.entriesBefore == 0 ? "" : ", \(count * 100 / changes.entriesBefore) %"
      return [
        Finding(
          at: facts.releasePlace,
          "\(count) of \(counted(changes.entriesBefore, "host"))\(share), would change at once: "
            + parts.map { "\($0.1) \($0.0)" }.joined(separator: ", "),
          help: facts.rotation.allowsMassChange
            ? "Read the whole diff; --allow-mass-change says that it is meant."
            : "Look whether a file is missing; where all of it is meant, say --allow-mass-change or release it in parts.",
          severity: facts.rotation.allowsMassChange ? .note : nil)
      ]
    })
}

/// The share of the hosts, in percent, above which a change has to be meant.
private let mostChangedPercent = 30
