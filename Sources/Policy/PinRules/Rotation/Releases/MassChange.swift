import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// A release that takes something away from a large part of the hosts, or asks more of them.
  package static let massChange = Rule(
    code: "P611",
    name: "mass-change",
    severity: .error,
    title: "More than 30 % of the hosts are removed or narrowed at once.",
    rationale: """
      The usual release touches a few hosts. One that touches a third of them is a policy directory that was read from
      the wrong place, a merge that lost a file, or a change that deserves to be released in parts. Counted are the host
      entries that are removed, lose a key, or change in another way that protects less or may lock clients out, over
      those of the newest release. What does neither isn't counted: another backup, a backup that becomes active, a
      later expiry, another report URI. Nor is an entry for one host that is enforced after a trial, if the evidence shows
      its server and no client is locked out of it. A single entry is never reported. P617 reports a key that is added
      to many hosts.
      `--allow-mass-change` says that all of it is intended. The finding is then a note. It locks nobody out, so a release
      with this error alone is called large, not unsafe: `diff` exits with 2, `build` makes it, and `gate` lets it pass if
      all who must sign it have signed.
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
      let (changed, removed) = changes.lessened(provenByTrial: facts.provenEntries)
      let count = changed + removed
      guard isMany(count, of: changes.entriesBefore) else { return [] }
      let parts = [("changed", changed), ("removed", removed)].filter { $0.1 > 0 }
      return [
        Finding(
          at: facts.releasePlace,
          "\(count) of \(counted(changes.entriesBefore, "host")), \(count * 100 / changes.entriesBefore) %, would change at once: "
            + parts.map { "\($0.1) \($0.0)" }.joined(separator: ", "),
          help: facts.rotation.allowsMassChange
            ? "Read the whole diff: --allow-mass-change says that all of it is intended."
            : "Check that no policy file is missing. If all of it is intended, pass --allow-mass-change or release in parts. "
              + "Hosts enforced after a trial don't count if evidence shows their servers.",
          severity: facts.rotation.allowsMassChange ? .note : nil)
      ]
    })
}

extension ManifestChanges {
  /// Whether `diff` refuses the release without `--allow-mass-change`.
  package var isMassChange: Bool {
    let (changed, removed) = lessened(provenByTrial: [])
    return isMany(changed + removed, of: entriesBefore)
  }

  /// How many entries protect or accept less than before, and how many are gone.
  fileprivate func lessened(provenByTrial proven: Set<String>) -> (changed: Int, removed: Int) {
    (hosts.count { $0.isNarrowed(provenByTrial: proven.contains($0.label)) }, hosts.count(where: \.isRemoved))
  }
}

extension HostChange {
  /// False where nothing changes but what keeps nobody out and protects as before; a key that goes counts in
  /// `report-only` too, where no client is kept out yet.
  fileprivate func isNarrowed(provenByTrial: Bool) -> Bool {
    guard case .changed(let parts) = kind else { return false }
    return parts.contains { part in
      if case .keys(let keys) = part.field, keys.narrows { return true }
      if provenByTrial, let modes = part.field.modes, modes == (.reportOnly, .enforce) { return false }
      return part.risk != .none
    }
  }

  fileprivate var isRemoved: Bool {
    if case .removed = kind { true } else { false }
  }
}

extension RotationFacts {
  /// The labels of the entries for one host of which the evidence shows each server, and no client is locked out.
  fileprivate var provenEntries: Set<String> {
    let lockedOut = Set(rotation.lockouts.map(\.server.number))
    var (proven, unproven): (Set<String>, Set<String>) = ([], [])
    for (number, server) in scenario.servers.enumerated() {
      guard let entry = entry(of: server) else { continue }
      // An entry without a port may have several servers.
      let isProven = server.phases.first?.source == .observed && !lockedOut.contains(number) && !entry.coversSubdomains
      if isProven { proven.insert(entry.label) } else { unproven.insert(entry.label) }
    }
    return proven.subtracting(unproven)
  }
}

/// Whether a number of hosts is more than 30 % of all; one alone is never many.
func isMany(_ count: Int, of all: Int) -> Bool { count > 1 && count * 100 > 30 * all }
