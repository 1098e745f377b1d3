import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// Certificates that no client needs.
  static let superfluousCertificate = Rule(
    code: "P503",
    name: "superfluous-certificate",
    severity: .note,
    title: "A server sends certificates that no client needs.",
    rationale: """
      A root that a client trusts it has already, and one that it doesn't trust it won't trust for being sent. A
      certificate that has nothing to do with the server's, or comes twice, is ignored. Each of them costs every handshake
      its bytes. Only the chain that a client validates is matched, so no pin is ever satisfied by a certificate that was
      merely sent along.
      """,
    failing: .live("root-included", "The server sends its own certificate, the intermediate and the root."),
    passing: .live("whole-chain", "The server sends its own certificate and the intermediate that issued it."),
    citation: "RFC 8446 section 4.4.2",
    check: .live { _, facts in
      facts.flawFindings { flaw, report in
        let (place, reason): (Int, String) =
          switch flaw {
          case .root(let place): (place, "which is a root")
          case .superfluous(let place): (place, "which has nothing to do with its chain")
          case .repeated(let place): (place, "which it has sent before")
          case .wrongOrder, .incomplete: (-1, "")
          }
        guard report.chain.indices.contains(place) else { return nil }
        // What a path was tried with has to do with it, and why the path fails is said elsewhere.
        if case .superfluous = flaw, report.paths.contains(where: { $0.chain.contains(report.chain[place]) }) {
          return nil
        }
        return VisitPhrase(
          "sends '\(facts.name(report.chain[place]))', \(reason)",
          help: "Have the server send its own certificate and the intermediates up to the root, and nothing else.")
      }
    })
}

extension ServedReport {
  /// Every path under every trust store.
  fileprivate var paths: [PathJudgement] { judgements.flatMap(\.paths) }
}
