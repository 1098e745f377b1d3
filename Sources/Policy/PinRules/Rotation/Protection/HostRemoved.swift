import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// A host that loses its pins.
  static let hostRemoved = Rule(
    code: "P605",
    name: "host-removed",
    severity: .warning,
    title: "A host that clients pin is no longer pinned.",
    rationale: """
      An entry that disappears silently removes the protection of its host: clients with the release accept any key that
      trust evaluation accepts. If another entry governs the host from then on, the finding is a note that names it. To
      end the pinning of a host on purpose, use `mode: off` and a reason, for at least one release.
      """,
    failing: .rotation(
      RotationLines.api("api-2025", backup: "spare"),
      after: .rotation(
        6, on: "2026-05-01",
        RotationLines.api("api-2025", backup: "spare") + "\n"
          + "  - { host: old.example.com, keys: { active: [api-2025], backup: [spare] } }")),
    passing: .rotation(
      RotationLines.api("api-2025", backup: "spare")
        + "\n  - { host: old.example.com, mode: off, reason: closed down in March }",
      after: .rotation(
        6, on: "2026-05-01",
        RotationLines.api("api-2025", backup: "spare")
          + "\n  - { host: old.example.com, mode: off, reason: closed down in March }")),
    citation: "docs/rotation.md#findings",
    check: .rotation { _, facts in HostsRemoved(facts).findings })
}

/// Entries that are gone, by what governs their hosts now.
private struct HostsRemoved {
  let facts: RotationFacts

  init(_ facts: RotationFacts) {
    self.facts = facts
  }

  var findings: [Finding] {
    var bare: [HostChange] = []
    var governed: [Int: [HostChange]] = [:]
    for change in facts.rotation.changes.hosts {
      guard case .removed(let entry) = change.kind, entry.mode != .off else { continue }
      let now = facts.input.hostIndex.governing(change.host, port: change.port)
      if let now, facts.policy.hosts[now].mode.value != .off {
        governed[now, default: []].append(change)
      } else {
        bare.append(change)
      }
    }
    return (bare.isEmpty ? [] : [unpinned(bare)]) + governed.sorted { $0.key < $1.key }.map { covered($1, by: $0) }
  }

  private func unpinned(_ changes: [HostChange]) -> Finding {
    let first = changes[0]
    let rest = ports(of: first.host)
    let still = first.port == nil && changes.count == 1 && !rest.isEmpty
    let scope = still ? " but on \(rest.count == 1 ? "port" : "ports") \(rest.listed())" : ""
    return Finding(
      at: facts.releasePlace,
      "\(Wording.list(changes.map(\.label), most: 4)) \(changes.count == 1 ? "is" : "are") no longer pinned\(scope)",
      help:
        "Keep the \(changes.count == 1 ? "entry" : "entries"), or write 'mode: off' with a reason for one "
        + "release, to show that this is intended.",
      witness: facts.admission(host: first.host, port: first.port, at: facts.scenario.now))
  }

  private func covered(_ changes: [HostChange], by number: Int) -> Finding {
    let entry = facts.policy.hosts[number]
    let isOne = changes.count == 1
    return Finding(
      at: entry.written.place,
      "\(Wording.list(changes.map(\.label), most: 4)) \(isOne ? "has no entry of its" : "have no entries of their") own any "
        + "more, and '\(entry.label)' governs \(isOne ? "it" : "them") now",
      help: "Look whether the keys and the mode of '\(entry.label)' are meant for \(isOne ? "it" : "them").",
      severity: .note)
  }

  /// The ports on which entries still pin a host.
  private func ports(of host: HostName) -> [String] {
    facts.policy.hosts.filter { $0.host == host && $0.mode.value != .off }.compactMap { $0.port.map { "\($0.value)" } }
  }
}
