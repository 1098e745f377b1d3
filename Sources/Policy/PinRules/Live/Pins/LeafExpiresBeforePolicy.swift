import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A pinned certificate that ends before its entry, with nothing pinned to follow.
  static let leafExpiresBeforePolicy = Rule(
    code: "P524",
    name: "leaf-expires-before-policy",
    severity: .warning,
    title: "A server's certificate expires before the entry, and no successor of its key is pinned.",
    rationale: """
      Only the server's own key matches. When its certificate expires, it is renewed, and most renewals make a new key: from
      then on every client with this manifest blocks the server. Clients need the new pin before the server has the new key.
      """,
    failing: .live(
      "whole-chain", "The server's own certificate expires at 2027-04-01T00:00:00Z.", ownKey("other-root")),
    passing: .live("whole-chain", "The server's own certificate expires at 2027-04-01T00:00:00Z.", ownKey("api-spare")),
    citation: "RFC 7469 section 4.3; RFC 5280 section 4.1.2.5",
    check: .live { _, facts in
      facts.targets.compactMap { target in
        guard let expires = facts.entry(of: target)?.expires, let set = facts.keySet(of: target),
          !set.backup.contains(where: { facts.policy.keys[$0.key].canFollowLeaf })
        else { return nil }
        var cells: [Cell] = []
        var ending: [(key: String, end: Instant, cells: Set<Cell>)] = []
        for judged in target.judged where facts.pinState(judged, of: target).isMatched {
          cells.append(judged.cell)
          let matches = judged.path.matches.filter(\.satisfies)
          guard let match = matches.first, matches.allSatisfy({ $0.certificate == 0 }), judged.path.chain.count > 1,
            let end = facts.record(judged.path.chain.first)?.notAfter, end < expires.value
          else { continue }
          if let index = ending.firstIndex(where: { $0.key == match.key && $0.end == end }) {
            ending[index].cells.insert(judged.cell)
          } else {
            ending.append((match.key, end, [judged.cell]))
          }
        }
        guard !ending.isEmpty else { return nil }
        let parts = ending.map { leaf in
          "the server's own key '\(leaf.key)', whose certificate expires at \(leaf.end)"
            + CellScope(leaf.cells, among: cells).text()
        }
        return target.finding(
          "'\(target.label)' matches only by " + LiveFacts.joined(parts),
          related: [Diagnostic.Related("the entry holds until \(expires.value)", at: expires.place)],
          help: """
            Pin the key of the next certificate as a backup now, or the key of the CA that will issue it; or renew the \
            certificate for the same key.
            """)
      }
    })

  private static func ownKey(_ backup: String) -> String {
    """
      api: { file: keys/api.pem }
      api-spare: { file: keys/api-spare.csr, custody: HSM A }
    hosts:
      - host: api.example.com
        keys: { active: [api], backup: [\(backup)] }
        expires: 2027-06-01
        on-expiry: report-only
    """
  }
}

extension Policy.Key {
  /// True where the key may be a server's own: its position or its certificate doesn't say otherwise.
  fileprivate var canFollowLeaf: Bool { standing == nil || standing == .leaf }
}
