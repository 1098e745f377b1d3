import Diagnostics
import PinFormat
import PinPolicy
import PinProbe

extension Rule {
  /// A server that ends the handshake.
  static let handshakeRefused = Rule(
    code: "P533",
    name: "handshake-refused",
    severity: .error,
    title: "A server ends the handshake.",
    rationale: """
      The server speaks TLS and stops, or is cut off. Its alert says why: `unrecognized_name` if it doesn't know the host,
      `handshake_failure` if it has no version, cipher suite or key type in common with the client. A connection that is
      simply closed was usually closed by a load balancer without a server behind it.
      """,
    failing: .live("alert", "The server ends each handshake with the alert unrecognized_name."),
    passing: .live("whole-chain", "The server completes the handshake."),
    citation: "RFC 8446 section 6.2; RFC 6066 section 3",
    check: .live { _, facts in
      facts.reachFindings(.handshake) { failure, _ in
        if let alert = failure.failure.alert { return "ends the handshake with the TLS alert \(TLSAlert.text(alert))" }
        return failure.kind == .closed
          ? "closes the connection during the handshake" : "ends the handshake: \(failure.shownMessage)"
      } help: { failed, target in
        switch failed[0].failure.alert ?? 0 {
        case 112: "Configure the server for the name '\(target.target.host.text)', which it doesn't know."
        case 40: TLSAlert.nothingInCommon
        case 42...46, 48, 49, 116:
          "The server seems to require a client certificate: pass one with '--client-cert' and '--client-key'."
        default: "Look for the reason in the logs of the server and of the load balancer in front of it."
        }
      }
    })
}
