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
      address, if the client sent no name or a wrong one. If the server is known by another name, `server-name: NAME` in
      the entry's `trust` says so. To accept one certificate until a date, add an exception to `trust`: `exceptions:
      [{ failure: name-mismatch, certificate: FILE, until: DATE, reason: … }]`. Both need a reason.
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
          let ended = trouble.trust?.exceptions.contains {
            $0.failure.value == .nameMismatch && $0.certificate == trouble.failure.fingerprint
          }
          let other = ended == true ? trouble.exception(.nameMismatch) : "Other ways: pintle explain P508."
          return "Does the name lead to the right server? If so, reissue its certificate with "
            + "'\(trouble.target.askedName(facts).text)'. \(other)"
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

extension Rule {
  /// A certificate with names that its authority may not issue for.
  static let nameConstraintViolated = Rule(
    code: "P510",
    name: "name-constraint-violated",
    severity: .error,
    title: "A server's certificate has names that its authority isn't permitted.",
    rationale: """
      A CA can be limited to certain names, such as a company's own domains. If one of its certificates has any other
      name, every client that checks the limit rejects the certificate as a whole. If the limited CA is only on one of
      several paths, it can be enough to stop sending one intermediate: the message says which.
      """,
    failing: .live(
      "constrained", "The server's certificate was issued by an authority for another domain's names.",
      Example.liveLeaf),
    passing: .live(
      "staple-good", "The server's certificate was issued by an authority for all names.", Example.liveLeaf),
    citation: "RFC 5280 section 4.2.1.10",
    check: .live { _, facts in
      facts.trustFindings(
        { cause, _ in cause.failure.code == .nameConstraints },
        help: { trouble in
          trouble.leaveOut
            ?? "Reissue the server's certificate: by a CA that is permitted to issue for its names, or without the names that "
            + "aren't permitted. No exception excuses this. If neither is possible, \(trouble.oneCertificate)"
        })
    })
}

extension Rule {
  /// A signature on the path that others could forge, or that the entry doesn't take.
  static let weakServedSignature = Rule(
    code: "P511",
    name: "weak-served-signature",
    severity: .error,
    title: "A certificate of a server's chain has a signature that isn't accepted.",
    rationale: """
      Certificates for somebody else's name have been made from collisions of MD5 and of SHA-1. Pintle's validator accepts
      SHA-256 and longer, and EdDSA; an entry can accept fewer families than these. A root's own signature isn't checked,
      so it doesn't matter.
      """,
    failing: .live("sha1-leaf", "The server sends a certificate signed with SHA-1.", Example.liveLeaf),
    passing: .live("staple-good", "The server sends a certificate signed with SHA-256.", Example.liveLeaf),
    citation: "RFC 9155; docs/validation.md#what-is-asked-for-beyond-libcrypto",
    check: .live { _, facts in
      facts.trustFindings(
        { cause, _ in cause.failure.code == .weakSignature },
        related: { trouble in
          let families = trouble.trust?.signatures.first
          return (families.map { [Diagnostic.Related("only these families are accepted", at: $0.place)] } ?? [])
            + trouble.exceptionPlaces(.weakSignature)
        },
        help: { trouble in
          trouble.remedy(
            leaf:
              "Reissue the server's certificate with a signature that is accepted; for the same key, if that key is "
              + "pinned.") + " " + trouble.exception(.weakSignature)
        })
    })
}

extension Rule {
  /// A key on the path that is too small.
  static let weakServedKey = Rule(
    code: "P512",
    name: "weak-served-key",
    severity: .error,
    title: "A certificate of a server's chain has a key that is too weak.",
    rationale: """
      RSA keys below 2048 bits and elliptic curves below 256 bits are rejected in every certificate of a chain, and an
      entry can require more. An attacker who breaks the key can pose as the server, and a pin on this key doesn't stop that.
      """,
    failing: .live("weak-key", "The server sends a certificate for an RSA key of 1024 bits."),
    passing: .live("whole-chain", "The server sends a certificate for an elliptic-curve key of 256 bits."),
    citation: "NIST SP 800-131A Rev. 2; docs/validation.md#what-is-asked-for-beyond-libcrypto",
    check: .live { _, facts in
      facts.trustFindings(
        { cause, _ in cause.failure.code == .weakKey },
        related: { trouble in
          let minimums = [trouble.trust?.minimumRSABits, trouble.trust?.minimumECBits].compactMap { $0 }
          return minimums.prefix(2).map { Diagnostic.Related("the entry requires this much", at: $0.place) }
            + trouble.exceptionPlaces(.weakKey)
        },
        help: { trouble in
          trouble.remedy(
            leaf:
              "Make a new key for the server, with at least 2048 bits (RSA) or on P-256 or a larger curve, and have a "
              + "certificate issued for it. Pin the new key as a backup before the server uses it.")
            + " \(trouble.exception(.weakKey))"
        })
    })
}
