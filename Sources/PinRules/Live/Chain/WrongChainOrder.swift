import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// A chain whose certificates don't each certify the one before.
  static let wrongChainOrder = Rule(
    code: "P502",
    name: "wrong-chain-order",
    severity: .warning,
    title: "A server sends its chain in the wrong order.",
    rationale: """
      Each certificate should stand behind the one that it issued, the server's own first. Most clients sort a chain
      themselves, and so does Pintle's validator. Older ones and small devices take the order literally and find no path.
      It is mostly a file that somebody put together by hand.
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
        // A root is no use to anybody, and has a finding of its own.
        let isNeeded = { (place: Int) in
          place == 0 || !report.flaws.contains { [.root(place), .superfluous(place), .repeated(place)].contains($0) }
        }
        let sent = names(report.chain.indices.filter(expected.contains))
        return VisitPhrase(
          "sends its chain in the wrong order: \(Wording.list(sent))",
          help: "Have the server send \(Wording.list(names(expected.filter(isNeeded)))), in this order.")
      }
    })
}
