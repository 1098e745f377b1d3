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
      another `server-name`, or a `certificate` blocks every connection to a server that doesn't meet it, in each mode, as
      soon as a client has the release. Pins say nothing about it: only evidence has the version of TLS and the chain of a
      server. With evidence of all servers of the entry, this release is checked against them in place of this warning.
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
      var phrases = HostPhrases()
      for change in facts.fieldChanges where !seen.contains(change.entry.label) {
        guard case .trust(let trust) = change.field, trust.mayBlock(change.risk) else { continue }
        phrases.add(
          change, RotationFacts.phrase(trust, change.entry.trust?.filesByFingerprint ?? [:]),
          at: change.entry.trust?.place ?? change.entry.written.place)
      }
      return phrases.groups.map { group in
        Finding(
          at: group.place,
          "the trust of \(group.hosts) is stricter: \(group.phrase); no evidence shows that the servers meet it",
          help: "Record what the servers present: pintle probe --record fleet.json; then add --evidence fleet.json.",
          witness: facts.witness(
            of: group.first, .blocked,
            reason: "a server that doesn't meet the stricter trust is blocked, whatever its keys"))
      }
    })
}

extension TrustChange {
  /// Whether a server that clients accepted may be one that they block, whatever else is accepted now.
  fileprivate func mayBlock(_ risk: ChangeRisk) -> Bool {
    switch field {
    case "minimum-tls", "minimum-rsa-bits", "minimum-ec-bits": return risk == .mayBlock
    case "anchors", "intermediates": return !Set(before).isSubset(of: after)
    case "certificate": return !after.isEmpty
    case "server-name": return true
    case "signatures":
      let old = before.isEmpty ? SignatureFamily.allCases.map(\.rawValue) : before
      return !after.isEmpty && !Set(old).isSubset(of: after)
    default: return false
    }
  }
}

extension RotationFacts {
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
