import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A rotation that has happened and isn't written down.
  static let onlyBackupMatches = Rule(
    code: "P521",
    name: "only-backup-matches",
    severity: .warning,
    title: "A server matches only by a backup key.",
    rationale: """
      The server has changed to its backup key. Clients still connect, but the policy no longer has a backup: the next
      change, or the loss of this key, locks everybody out. A rotation is complete when the key in use is an active one and
      a new backup is pinned.
      """,
    failing: .live("whole-chain", "The server's chain ends in the Example Root CA.", backupHost),
    passing: .live("whole-chain", "The server's chain ends in the Example Root CA."),
    citation: "RFC 7469 section 4.3",
    check: .live { _, facts in
      facts.targets.compactMap { target in
        var cells: [Cell] = []
        var groups: [(keys: [String], cells: Set<Cell>)] = []
        for judged in target.judged {
          guard case .matched(let backup) = facts.pinState(judged, of: target) else { continue }
          cells.append(judged.cell)
          guard !backup.isEmpty else { continue }
          if let index = groups.firstIndex(where: { $0.keys == backup }) {
            groups[index].cells.insert(judged.cell)
          } else {
            groups.append((backup, [judged.cell]))
          }
        }
        guard let first = groups.first else { return nil }
        let parts = groups.map { group in
          "by its backup \(group.keys.count == 1 ? "key" : "keys") \(Wording.list(group.keys))"
            + CellScope(group.cells, among: cells).text()
        }
        return target.finding(
          "'\(target.label)' matches only \(LiveFacts.joined(parts))", related: facts.backups(first.keys, of: target),
          help: """
            Complete the rotation, if the server's operator confirms it: move \(Wording.list(first.keys)) to 'active:', pin \
            a new key as the backup, and remove the old key when no server presents it.
            """)
      }
    })

  private static let backupHost = """
    hosts:
      - host: api.example.com
        keys: { active: [other-root], backup: [example-root] }
    """
}

extension LiveFacts {
  /// Where the key set of a target lists keys as its backups.
  func backups(_ names: [String], of target: LiveTarget) -> [Diagnostic.Related] {
    (keySet(of: target)?.backup ?? []).filter {
      policy.keys[$0.key].manifestKeys.contains { names.contains($0.name) }
    }.prefix(3).map {
      Diagnostic.Related("'\(policy.keys[$0.key].name.value)' is a backup here", at: $0.place)
    }
  }
}
