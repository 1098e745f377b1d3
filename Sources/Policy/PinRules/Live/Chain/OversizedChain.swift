import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A chain that no client reads to its end.
  static let oversizedChain = Rule(
    code: "P516",
    name: "oversized-chain",
    severity: .error,
    title: "A server sends more certificates than clients read.",
    rationale: """
      Clients limit what they read of a server's chain, so that no server can exhaust their memory. Pintle's validator reads
      32 certificates and 256 KiB; OpenSSL's default is 100 KiB. A longer chain is rejected unread, in every mode and whatever
      is pinned. Usually the server was given a whole bundle of CAs in place of its chain.
      """,
    failing: .live("oversized-chain", "The server sends 141 certificates."),
    passing: .live("whole-chain", "The server sends its own certificate and the intermediate that issued it."),
    citation: "docs/validation.md#what-goes-in; OpenSSL, SSL_CTX_set_max_cert_list",
    check: .live { _, facts in
      facts.targets.compactMap { target in
        guard target.isAnswerable else { return nil }
        let found = target.target.visits.compactMap { visit in
          visit.oversizedChain.map { ($0.shownMessage, Set([Cell(visit, of: target.target)])) }
        }
        guard !found.isEmpty else { return nil }
        let asked = target.target.visits.filter(\.wasAsked).map { Cell($0, of: target.target) }
        let parts = LiveFacts.merged(found.map { (text: $0.0, cells: $0.1) }).map { part -> String in
          let scope = CellScope(part.cells, among: asked).text(elsewhere: .unsaid, ofOffers: true)
          return part.text + (scope.isEmpty ? "" : " (\(scope.dropFirst()))")
        }
        return target.finding(
          "'\(target.label)' is blocked by every client: " + LiveFacts.joined(parts),
          help:
            "Have the server send only its own certificate and the intermediates up to the root. Check whether a bundle "
            + "of CAs is configured as its chain.")
      }
    })
}
