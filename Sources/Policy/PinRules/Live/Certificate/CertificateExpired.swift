import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

extension Rule {
  /// A certificate on the path whose time is over.
  static let certificateExpired = Rule(
    code: "P504",
    name: "certificate-expired",
    severity: .error,
    title: "A certificate of a server's chain has expired.",
    rationale: """
      From its notAfter on, no client accepts a certificate, whatever is pinned: pins only add restrictions. It may be the
      server's own, an intermediate that was replaced long ago and is still being sent, or a root. If a server has several
      addresses or keys, the renewal often missed one of them.
      """,
    failing: .live("expired", "The server sends a certificate that has expired.", legacy("")),
    passing: .live(
      "expired", "The server sends a certificate that has expired, which the policy excuses until a date.",
      legacy(
        """

            trust:
              exceptions:
                - failure: expired
                  certificate: keys/legacy.pem
                  until: 2026-12-15
                  reason: the vendor renews it on 2026-12-12
        """)),
    citation: "RFC 5280 section 4.1.2.5; Apple, TN2232",
    check: .live { _, facts in
      facts.trustFindings(
        { cause, _ in cause.failure.code == .expired },
        related: { $0.exceptionPlaces(.expired) },
        help: { trouble in
          trouble.remedy(leaf: "Renew the server's certificate; for the same key, if that key is pinned.") + " "
            + trouble.exception(.expired)
        })
    })

  private static func legacy(_ trust: String) -> String {
    """
    hosts:
      - host: legacy.example.com
        keys: { active: [example-root], backup: [other-root] }\(trust)
    """
  }
}
