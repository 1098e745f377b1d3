import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A key that must not be used, and is.
  static let deniedKeyServed = Rule(
    code: "P523",
    name: "denied-key-served",
    severity: .error,
    title: "A server presents a denied key.",
    rationale: """
      A denied key blocks wherever it is in the validated chain, whatever else matches, and in `report-only` too. Every
      client that has the manifest blocks this server until it presents another key.
      """,
    failing: .live(
      "whole-chain", "The server presents the key of keys/api.pem.", denying(#", denied: "found in a public bucket""#)),
    passing: .live("whole-chain", "The server presents the key of keys/api.pem.", denying("")),
    citation: "docs/policy.md#denied-keys",
    check: .live { _, facts in
      facts.targets.compactMap { target in
        var groups: [(match: KeyMatch, cells: Set<Cell>)] = []
        for judged in target.judged {
          guard case .denied(let match) = facts.pinState(judged, of: target) else { continue }
          if let index = groups.firstIndex(where: { $0.match.key == match.key && $0.match.position == match.position })
          {
            groups[index].cells.insert(judged.cell)
          } else {
            groups.append((match, [judged.cell]))
          }
        }
        guard let first = groups.first else { return nil }
        let cells = target.judged.filter(\.path.failures.isEmpty).map(\.cell)
        let parts = groups.map { group in
          "the denied key '\(group.match.key)'\(facts.denial(of: group.match)) in \(Self.holder(group.match.position))"
            + CellScope(group.cells, among: cells).text()
        }
        return target.finding(
          "'\(target.label)' presents " + LiveFacts.joined(parts),
          related: facts.key(named: first.match.key)?.denied.map {
            [Diagnostic.Related("denied here", at: $0.place)]
          } ?? [],
          help: facts.helpAgainst(first.match, at: target))
      }
    })

  private static func holder(_ position: ChainPosition) -> String {
    switch position {
    case .leaf: "its own certificate"
    case .intermediate: "an intermediate's certificate"
    case .root: "the root of its chain"
    }
  }

  private static func denying(_ denial: String) -> String {
    """
      leaf: { file: keys/api.pem\(denial) }
    hosts:
      - host: api.example.com
        keys: { active: [example-root], backup: [other-root] }
    """
  }
}

extension LiveFacts {
  /// What is fastest and safe, which is a key that clients accept already.
  fileprivate func helpAgainst(_ match: KeyMatch, at target: LiveTarget) -> String {
    let backups = (keySet(of: target)?.backup ?? []).map { policy.keys[$0.key] }.filter { !$0.isDenied }
    let accepted =
      backups.isEmpty ? "" : " Already pinned as a backup: \(Wording.list(backups.map(\.name.value)))."
    return match.position == .leaf
      ? "Have the server present a certificate for another pinned key now.\(accepted)"
      : "Have the server present a chain without this key, from another CA if necessary.\(accepted)"
  }

  /// ` (found in a public bucket)`.
  fileprivate func denial(of match: KeyMatch) -> String {
    key(named: match.key)?.denied.map { " (\(CertificateText.shown($0.value)))" } ?? ""
  }
}
