import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// A host that is checked against less than before.
  static let modeWeakened = Rule(
    code: "P606",
    name: "mode-weakened",
    severity: .warning,
    title: "A host that clients pin is protected less than before.",
    rationale: """
      Examples are a change from `enforce` to `report-only` or `off`, subdomains that are no longer covered, one key
      required in place of a leaf's and a CA's, or unpinned hosts allowed where they were denied. Each can be right, and
      each is what an attacker would want to be released. So the diff reports it, and a reviewer suppresses it with a
      reason and an end date. A new entry counts too, if an entry above it protected its host more.
      """,
    failing: .rotation(
      RotationLines.api("api-2025", backup: "spare", "mode: report-only"),
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare"))),
    passing: .rotation(
      RotationLines.api("api-2025", backup: "spare"),
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare", "mode: report-only"))),
    citation: "docs/rotation.md#findings",
    check: .rotation { _, facts in Weakenings(facts).findings })
}

/// What is weaker, by where the policy says so.
private struct Weakenings {
  let facts: RotationFacts

  init(_ facts: RotationFacts) {
    self.facts = facts
  }

  var findings: [Finding] {
    var phrases = HostPhrases()
    for change in facts.fieldChanges where change.risk == .weakens {
      switch change.field {
      case .value(.mode, let from, let to):
        // Another rule reports a removed entry that leaves its host unpinned.
        if change.field.modes?.to == .off, case .removed = change.change.kind { continue }
        phrases.add(change, "goes from '\(from.words)' to '\(to.words)'", at: change.entry.mode.place)
      case .value(.includeSubdomains, _, _):
        let place = change.entry.includeSubdomains?.place ?? change.entry.written.place
        phrases.add(change, Self.belowPhrase, at: place)
      case .value(.requirement, _, _):
        let place = change.entry.requirement?.place ?? change.entry.written.place
        phrases.add(change, "asks for one key, no longer for a leaf's and a CA's", at: place)
      // Other rules report these.
      case .value(.expires, _, _), .value(.onExpiry, _, _), .keys, .trust: continue
      case .value(let field, let from, let to):
        let phrase = "goes from '\(from.words)' to '\(to.words)' in '\(field.rawValue)'"
        phrases.add(change, phrase, at: change.entry.written.place)
      }
    }
    return phrases.groups.map(finding) + settings
  }

  private func finding(_ group: HostPhrases.Group) -> Finding {
    let change = group.first.change
    let isBelow = group.phrase.hasPrefix(Self.belowPhrase)
    let host = isBelow ? try? HostName(canonicalising: "subdomain." + change.host.text) : change.host
    return Finding(
      at: group.place, "\(group.hosts) \(group.phrase)",
      help: group.first.field.modes?.to == .off
        ? "To remove the host for good, accept this finding with a reason and an end date, and remove the entry with the next "
          + "release. Otherwise undo the change."
        : "Undo the change, or suppress the finding with a reason and an end date.",
      witness: host.flatMap { facts.admission(host: $0, port: change.port, at: facts.scenario.now) })
  }

  private var settings: [Finding] {
    facts.rotation.changes.settings.filter { $0.field == "unpinned-hosts" && $0.risk == .weakens }.map { change in
      Finding(
        at: facts.releasePlace, "'unpinned-hosts' goes from '\(change.before)' to '\(change.after)'",
        help: "Undo the change, or suppress the finding with a reason and an end date.")
    }
  }

  private static let belowPhrase = "no longer pins the names below it"
}
