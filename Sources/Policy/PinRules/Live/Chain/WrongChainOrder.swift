import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A chain whose certificates don't each certify the one before.
  static let wrongChainOrder = Rule(
    code: "P502",
    name: "wrong-chain-order",
    severity: .warning,
    title: "A server sends its chain in the wrong order.",
    rationale: """
      The server's own certificate comes first, and each certificate follows the one that it issued. Most clients sort the
      others themselves, and so does Pintle's validator; older clients and small devices don't, and find no path. No client
      looks for the server's own certificate anywhere but in the first place: if another one is there, the connection is
      blocked, and the finding is an error. The cause is usually a file that was put together by hand.
      """,
    failing: .live("wrong-order", "The server sends its own certificate, a root's, and then the intermediate between."),
    passing: .live("whole-chain", "The server sends its own certificate and the intermediate that issued it."),
    citation: "RFC 8446 section 4.4.2; RFC 5246 section 7.4.2",
    check: .live { _, facts in
      facts.flawFindings { flaw, report in
        guard case .wrongOrder(let expected) = flaw else { return nil }
        let names = { (places: [Int]) in
          places.compactMap { report.chain.indices.contains($0) ? facts.name(report.chain[$0]) : nil }
        }
        // Another rule reports a root that is sent, which no client needs.
        let needed = expected.enumerated().filter { number, place in
          number == 0
            || !report.flaws.contains { [.root(place), .superfluous(place), .repeated(place)].contains($0) }
        }.map(\.element)
        let sent = Wording.list(names(report.chain.indices.filter(expected.contains)))
        let order =
          "Have the server send \(Wording.list(names(needed)))" + (needed.count > 1 ? ", in this order" : " first")
        guard report.isMisordered, let first = report.chain.first else {
          return VisitPhrase("sends its chain in the wrong order: \(sent)", help: order + ".")
        }
        return VisitPhrase(
          TrustCause.misordered(names(report.chain.indices.filter(expected.contains))),
          help: """
            \(order), and use the private key of the first one. The handshake was signed with the key of \
            '\(facts.name(first))': if that is a CA's real key, remove it from the server, because anybody who has it can issue \
            certificates.
            """,
          isError: report.judgements.contains { !($0.paths.first?.failures.isEmpty ?? true) })
      }
    })
}
