import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// Certificates that no client needs.
  static let superfluousCertificate = Rule(
    code: "P503",
    name: "superfluous-certificate",
    severity: .note,
    title: "A server sends certificates that no client needs.",
    rationale: """
      Clients already have the roots that they trust, and don't trust a root because a server sends it. A certificate that
      is unrelated to the server's, or is sent twice, is ignored. Each of them makes every handshake longer. Only the chain
      that a client validates is matched, so a certificate that is merely sent never satisfies a pin.
      """,
    failing: .live("root-included", "The server sends its own certificate, the intermediate and the root."),
    passing: .live("whole-chain", "The server sends its own certificate and the intermediate that issued it."),
    citation: "RFC 8446 section 4.4.2",
    check: .live { _, facts in
      facts.flawFindings { flaw, report in
        let (place, reason): (Int, String) =
          switch flaw {
          case .root(let place): (place, "which is a root")
          case .superfluous(let place): (place, "which is unrelated to its chain")
          case .repeated(let place): (place, "which it has already sent")
          case .wrongOrder, .incomplete: (-1, "")
          }
        guard report.chain.indices.contains(place) else { return nil }
        // A certificate that was tried in a path isn't unrelated; other rules report why the path fails.
        if case .superfluous = flaw, report.paths.contains(where: { $0.chain.contains(report.chain[place]) }) {
          return nil
        }
        return VisitPhrase(
          "sends '\(facts.name(report.chain[place]))', \(reason)",
          help: "Have the server send only its own certificate and the intermediates up to the root.")
      }
    })
}

extension ServedReport {
  /// Every path under every trust store.
  fileprivate var paths: [PathJudgement] { judgements.flatMap(\.paths) }
}
