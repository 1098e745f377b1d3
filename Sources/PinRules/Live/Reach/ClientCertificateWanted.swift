import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// A server that went no further without a client certificate.
  static let clientCertificateWanted = Rule(
    code: "P537",
    name: "client-certificate-wanted",
    severity: .warning,
    title: "A server wants a client certificate.",
    rationale: """
      The server proved its key, so its chain was judged like any other. Then it ended the handshake, because no client
      certificate was sent or it didn't take the one that was. What it would do with a client that has one, such as asking
      for another certificate or sending it elsewhere, nobody has seen.
      """,
    failing: .live("client-certificate", "The server ends the handshake for want of a client certificate."),
    passing: .live("whole-chain", "The server asks for no client certificate."),
    citation: "RFC 8446 section 4.4.2.4; docs/probing.md#how-they-are-asked",
    check: .live { _, facts in
      facts.visitFindings { visit in
        guard let failure = visit.report.failure else { return nil }
        let alert = failure.alert.map { " with the TLS alert \(TLSAlert.text($0))" } ?? ""
        switch visit.report.clientCertificate {
        case .notAsked: return nil
        case .asked:
          return VisitPhrase(
            "ends the handshake for want of a client certificate\(alert)",
            help: "Give one that the server takes with '--client-cert' and '--client-key'.")
        case .sent:
          return VisitPhrase(
            "doesn't take the client certificate that was sent\(alert)",
            help: "Have a client certificate issued by a CA that the server takes, or have the server take this one's.")
        }
      }
    })
}
