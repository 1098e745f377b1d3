import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

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
