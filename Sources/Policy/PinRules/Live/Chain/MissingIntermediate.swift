import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

extension Rule {
  /// A server that leaves out a certificate between its own and the root.
  static let missingIntermediate = Rule(
    code: "P501",
    name: "missing-intermediate",
    severity: .error,
    title: "A certificate is missing between a server's chain and a trust anchor.",
    rationale: """
      A server has to send every certificate of its chain except the root. Browsers hide that one is missing: they keep
      intermediates that they have seen elsewhere, or fetch them. Other clients do neither and block the connection. From
      outside, a missing intermediate looks like a root that nobody trusts; the message says 'intermediate' only if a
      certificate in the evidence or in the policy shows that it is one. If the certificate says where its issuer's is, the
      message repeats the address. Pintle never fetches it, because a client's validator wouldn't.
      """,
    failing: .live("leaf-only", "The server sends its own certificate and nothing else.", Example.liveLeaf),
    passing: .live(
      "staple-good", "The server sends its own certificate and the intermediate that issued it.", Example.liveLeaf),
    citation: "RFC 8446 section 4.4.2; Apple, TN2232",
    check: .live { _, facts in
      facts.trustFindings(
        { cause, _ in cause.isIntermediateMissing },
        help: { trouble in
          let whole = "its own certificate, then each intermediate, without the root."
          if trouble.cause.isIssuerKnown {
            return "Have the server send its whole chain: \(whole) \(trouble.intermediates)"
          }
          if let interception = trouble.interception { return interception }
          let issuer = trouble.cause.belowGap.map { "'\(CertificateText.name(in: $0.issuer))'" } ?? "the issuer"
          return "If \(issuer) is an intermediate CA, have the server send its whole chain: \(whole) "
            + "\(trouble.intermediates) If it is a root, clients have to trust it. \(trouble.anchors)"
        })
    })
}
