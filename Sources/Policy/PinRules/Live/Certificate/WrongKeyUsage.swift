import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

extension Rule {
  /// A certificate that was issued for something else.
  static let wrongKeyUsage = Rule(
    code: "P509",
    name: "wrong-key-usage",
    severity: .error,
    title: "A server's certificate isn't meant for servers.",
    rationale: """
      A certificate says what it is for. If it has an Extended Key Usage, that has to contain serverAuth, also in every
      intermediate. A certificate for clients or for signing code proves nothing about a server, and its owner may be
      somebody who was never meant to run one.
      """,
    failing: .live("client-usage", "The server sends a certificate for clients.", Example.liveLeaf),
    passing: .live("staple-good", "The server sends a certificate for servers.", Example.liveLeaf),
    citation: "RFC 5280 section 4.2.1.12; Apple, TN2232",
    check: .live { _, facts in
      facts.trustFindings(
        { cause, _ in cause.failure.code == .wrongUsage },
        related: { $0.exceptionPlaces(.wrongUsage) },
        help: { trouble in
          trouble.remedy(leaf: "Reissue the server's certificate for TLS servers (Extended Key Usage serverAuth).")
            + " "
            + trouble.exception(.wrongUsage)
        })
    })
}
