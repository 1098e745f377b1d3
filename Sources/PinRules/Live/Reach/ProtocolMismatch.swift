import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// A server that speaks something else.
  static let protocolMismatch = Rule(
    code: "P534",
    name: "protocol-mismatch",
    severity: .error,
    title: "A server doesn't speak TLS as clients do.",
    rationale: """
      What answers isn't TLS, has no version that today's clients take, or breaks the protocol. On ports of mail, directory
      and database servers TLS is often asked for in their own protocol first (STARTTLS); Pintle does that on the ports that
      are known for it, and wherever the command line says.
      """,
    failing: .live("old-version", "The server has TLS 1.1 and nothing newer."),
    passing: .live("whole-chain", "The server has TLS 1.3."),
    citation: "RFC 8996; RFC 8446 section 4.2.1",
    check: .live { _, facts in
      facts.reachFindings(.protocolMismatch) { failure, _ in
        switch failure.kind {
        case .notTLS: "doesn't speak TLS there: \(failure.shownMessage)"
        case .protocolVersion, .alert: "has no version of TLS that is taken (1.2 and 1.3)"
        case .wrongKeyFamily: "proves itself with a kind of key that wasn't offered"
        case .noCertificate: "completes the handshake without a certificate"
        default: "breaks the TLS protocol: \(failure.shownMessage)"
        }
      } help: { failure, target in
        switch failure.kind {
        case .notTLS where target.target.startTLS == nil:
          "If the server begins in clear text, say in which protocol: '--starttls \(target.target.port)=smtp', imap, pop3, "
            + "ldap or postgres. Otherwise correct the port."
        case .protocolVersion, .alert: "Have TLS 1.2 or 1.3 switched on at the server; older versions are obsolete."
        case .noCertificate: "Have the server set up with a certificate; without one it can't be told from any other."
        default: "See what listens at the port; a proxy or a firewall on the way may answer in the server's place."
        }
      }
    })
}
