import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A server that ended the handshake for lack of a client certificate.
  static let clientCertificateWanted = Rule(
    code: "P537",
    name: "client-certificate-wanted",
    severity: .warning,
    title: "A server requires a client certificate.",
    rationale: """
      The server proved its key, so its chain was evaluated like any other. Then it ended the handshake, because no client
      certificate was sent or it rejected the one that was. What it presents to a client with a certificate wasn't seen.
      """,
    failing: .live("client-certificate", "The server ends the handshake because there is no client certificate."),
    passing: .live("whole-chain", "The server asks for no client certificate."),
    citation: "RFC 8446 section 4.4.2.4; docs/probing.md#how-they-are-probed",
    check: .live { _, facts in
      facts.visitFindings { visit in
        guard let failure = visit.report.failure else { return nil }
        let alert = failure.alert.map { " with the TLS alert \(TLSAlert.text($0))" } ?? ""
        switch visit.report.clientCertificate {
        case .notAsked: return nil
        case .asked:
          return VisitPhrase(
            "requires a client certificate: without one, it ends the handshake\(alert)",
            help: "Pass a client certificate that the server accepts: '--client-cert' and '--client-key'.")
        case .sent:
          return VisitPhrase(
            "rejects the client certificate that was sent\(alert)",
            help: "Use a client certificate from a CA that the server accepts, or have the server accept this one's CA."
          )
        }
      }
    })
}
