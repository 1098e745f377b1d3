import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

extension Rule {
  /// A certificate on the path whose time is still to come.
  static let certificateNotYetValid = Rule(
    code: "P505",
    name: "certificate-not-yet-valid",
    severity: .error,
    title: "A certificate of a server's chain isn't valid yet.",
    rationale: """
      Clients reject a certificate before its notBefore date. Either it was put into service too early, or a clock is
      wrong: the issuer's or the client's. If the server sends its time, the message gives the difference.
      """,
    failing: .live(
      "not-yet-valid", "The server sends a certificate that becomes valid in three days.", Example.liveLeaf),
    passing: .live("staple-good", "The server sends a certificate that is valid.", Example.liveLeaf),
    citation: "RFC 5280 section 4.1.2.5; Apple, TN2232",
    check: .live { _, facts in
      facts.trustFindings(
        { cause, _ in cause.failure.code == .notYetValid },
        related: { $0.exceptionPlaces(.notYetValid) },
        help: { trouble in
          let clock = trouble.clockOffset == nil ? "" : " Correct the server's clock."
          let earlier = "Until then, have the server present its previous certificate. Also check this machine's clock."
          return trouble.remedy(leaf: earlier) + clock + " " + trouble.exception(.notYetValid)
        })
    })
}
