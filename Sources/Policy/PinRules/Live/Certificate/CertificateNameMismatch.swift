import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

extension Rule {
  /// A certificate for somebody else.
  static let certificateNameMismatch = Rule(
    code: "P508",
    name: "certificate-name-mismatch",
    severity: .error,
    title: "A server's certificate doesn't cover the host's name.",
    rationale: """
      The name that a client asks for must be in the certificate's Subject Alternative Name; a common name doesn't count. A
      certificate for another name often means that the request reached another server: the default one of a shared
      address, if the client sent no name or a wrong one.
      """,
    failing: .live("other-name", "The server sends a certificate for other names.", shop("")),
    passing: .live(
      "other-name", "The server sends a certificate for other names, one of which the policy accepts.",
      shop("\n    trust: { server-name: www.example.com, reason: the shop is served by the web server }")),
    citation: "RFC 9525 section 6; Apple, TN2232",
    check: .live { _, facts in
      facts.trustFindings(
        { cause, _ in cause.failure.code == .nameMismatch },
        related: { trouble in
          let name = trouble.trust?.serverName
          return (name.map { [Diagnostic.Related("this name is verified instead of the host's", at: $0.place)] } ?? [])
            + trouble.exceptionPlaces(.nameMismatch)
        },
        help: { trouble in
          let asked = trouble.target.askedName(facts).text
          let name =
            trouble.trust?.serverName == nil
            ? "If the server is known by another name, add it in \(trouble.trustOwner): "
              + "'server-name: NAME' with a reason. "
            : ""
          return
            "Check that the name leads to the right server and that it presents the right certificate for this name. If it "
            + "does, reissue the certificate with '\(asked)' among its names. \(name)\(trouble.exception(.nameMismatch))"
        })
    })

  private static func shop(_ trust: String) -> String {
    """
    hosts:
      - host: shop.example.com
        keys: { active: [example-root], backup: [other-root] }\(trust)
    """
  }
}
