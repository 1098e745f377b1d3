import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// Trust evaluation that lets less pass, where nobody looked whether the servers do.
  static let trustTightened = Rule(
    code: "P627",
    name: "trust-tightened",
    severity: .warning,
    title: "Trust evaluation requires more than before, and no evidence shows that the servers meet it.",
    rationale: """
      A higher `minimum-tls`, `minimum-rsa-bits` or `minimum-ec-bits`, fewer `signatures`, `anchors` or `intermediates`,
      an exception less, another `server-name` or `certificate` blocks every connection to a server that doesn't meet it,
      in each mode, as soon as a client has the release. So may the `trust` of a host that wasn't pinned before. Pins say
      nothing about it: only evidence has the version of TLS and the chain of a server. With evidence of all servers of
      the entry, this release is checked against them in place of this warning.
      """,
    failing: .rotation(
      RotationLines.api("api-2025", backup: "spare", "trust: { minimum-tls: \"1.3\", reason: our own service }"),
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare"))),
    passing: .rotation(
      RotationLines.api("api-2025", backup: "spare", "trust: { minimum-tls: \"1.3\", reason: our own service }"),
      after: .rotation(
        6, on: "2026-05-01",
        RotationLines.api("api-2025", backup: "spare", "trust: { minimum-tls: \"1.3\", reason: our own service }"))),
    citation: "docs/rotation.md#findings; RFC 9325 section 4",
    check: .rotation { _, facts in
      let seen = facts.seenEntries
      lazy var links = AnchorLinks(facts)
      var (stricter, different) = (HostPhrases(), HostPhrases())
      for change in facts.fieldChanges + facts.newlyTrusted where !seen.contains(change.entry.label) {
        guard case .trust(let trust) = change.field, trust.rejectsMore else { continue }
        let phrase = facts.phrase(trust, of: change.entry)
        if trust.acceptsMore {
          different.add(change, phrase, at: change.entry.trustPlace)
        } else {
          stricter.add(change, phrase, at: change.entry.trustPlace)
        }
      }
      func finding(_ group: HostPhrases.Group, _ message: String, isDisjoint: Bool = false) -> Finding {
        Finding(
          at: group.place, message + (isDisjoint ? "; no known chain satisfies both this and the newest release" : ""),
          help: isDisjoint
            ? "Release the old and the new anchors together first. Remove the old ones when servers present chains of the "
              + "new ones, and an adoption window has passed."
            : "Record what the servers present: pintle probe --record fleet.json; then add --evidence fleet.json.",
          witness: facts.witness(
            of: group.first, .blocked,
            reason: "a server that doesn't meet the new trust is blocked, whatever its keys"))
      }
      return stricter.groups.map { group in
        finding(
          group, "the trust of \(group.hosts) is stricter: \(group.phrase); no evidence shows that the servers meet it")
      }
        + different.groups.map { group in
          var isDisjoint = false
          if case .trust(let trust) = group.first.field { isDisjoint = links.separate(trust) }
          return finding(
            group, "no evidence shows that the servers of \(group.hosts) meet the new trust: \(group.phrase)",
            isDisjoint: isDisjoint)
        }
    })
}

extension RotationFacts {
  /// How the trust of hosts that aren't pinned yet differs from the system's, by which clients evaluate them now.
  fileprivate var newlyTrusted: [FieldChange] {
    guard rotation.newest.unpinnedHosts != .deny else { return [] }
    return rotation.changes.hosts.flatMap { change -> [FieldChange] in
      guard change.beginsToPin, let entry = entries[change.label].map({ policy.hosts[$0] }), let trust = entry.trust
      else { return [] }
      return TrustComparison(from: Manifest.Trust(), to: trust.lowered, at: scenario.now).changes.map {
        FieldChange(change: change, entry: entry, note: "", field: $0.field, risk: $0.risk)
      }
    }
  }

  /// The labels of the entries of which the evidence shows every server.
  fileprivate var seenEntries: Set<String> {
    var (seen, unseen): (Set<String>, Set<String>) = ([], [])
    for (number, server) in scenario.servers.enumerated() {
      guard let entry = entry(ofServer: number) else { continue }
      if server.phases.first?.source == .observed { seen.insert(entry.label) } else { unseen.insert(entry.label) }
    }
    return seen.subtracting(unseen)
  }
}

extension HostChange {
  /// Whether clients didn't evaluate the host before.
  fileprivate var beginsToPin: Bool {
    switch kind {
    case .added(let entry): entry.mode != .off && others.allSatisfy { $0.changes.contains(where: \.beginsToPin) }
    case .removed: false
    case .changed(let fields): fields.contains(where: \.beginsToPin)
    }
  }
}

extension EntryChange {
  fileprivate var beginsToPin: Bool {
    if case .mode(from: .off, let mode) = field { mode != .off } else { false }
  }
}
