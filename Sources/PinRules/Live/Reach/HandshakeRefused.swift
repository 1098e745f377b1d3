import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy

extension Rule {
  /// A server that ends the handshake.
  static let handshakeRefused = Rule(
    code: "P533",
    name: "handshake-refused",
    severity: .error,
    title: "A server ends the handshake.",
    rationale: """
      The server speaks TLS and doesn't want to go on, or is cut off. It says why by an alert: `unrecognized_name` where it
      doesn't know the host, `handshake_failure` where it finds nothing that both sides can do. A connection that is simply
      closed was mostly ended by a load balancer without a server behind it.
      """,
    failing: .live("alert", "The server ends each handshake with the alert unrecognized_name."),
    passing: .live("whole-chain", "The server completes the handshake."),
    citation: "RFC 8446 section 6.2; RFC 6066 section 3",
    check: .live { _, facts in
      facts.reachFindings(.handshake) { failure, _ in
        if let alert = failure.alert { return "ends the handshake with the TLS alert \(TLSAlert.text(alert))" }
        return failure.kind == .closed
          ? "closes the connection in the middle of the handshake" : "ends the handshake: \(failure.shownMessage)"
      } help: { failure, target in
        switch failure.alert ?? 0 {
        case 112: "Have the server set up for the name '\(target.target.host.text)', which it doesn't know."
        case 40: "Have the server offer TLS 1.2 or 1.3 with a certificate for an RSA or an elliptic-curve key."
        case 42...46, 48, 49, 116:
          "The server seems to want a client certificate: give one with '--client-cert' and '--client-key'."
        default: "Look for the reason in the server's own log, and in that of the load balancer before it."
        }
      }
    })
}
