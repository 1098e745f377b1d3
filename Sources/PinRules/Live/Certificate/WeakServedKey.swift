import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy
import PinValidator

extension Rule {
  /// A key on the path that is too small.
  static let weakServedKey = Rule(
    code: "P512",
    name: "weak-served-key",
    severity: .error,
    title: "A certificate of a server's chain has a key that is too weak.",
    rationale: """
      RSA keys below 2048 bits and elliptic curves below 256 bits are refused in every certificate of a chain, and an entry
      may ask for more. Who breaks the key has the server's name, and with a pinned key the pin as well.
      """,
    failing: .live("weak-key", "The server sends a certificate for an RSA key of 1024 bits."),
    passing: .live("whole-chain", "The server sends a certificate for an elliptic-curve key of 256 bits."),
    citation: "NIST SP 800-131A Rev. 2; docs/validation.md#what-is-asked-for-beyond-libcrypto",
    check: .live { _, facts in
      facts.trustFindings(
        { failure, _, _ in failure.code == .weakKey },
        phrase: { "\($0.subject) with a weak key: \(CertificateText.shown($0.failure.message, most: 120))" },
        related: { trouble in
          let minimums = [trouble.trust?.minimumRSABits, trouble.trust?.minimumECBits].compactMap { $0 }
          return minimums.prefix(2).map { Diagnostic.Related("the entry asks for this much", at: $0.place) }
            + trouble.exceptionPlaces(.weakKey)
        },
        help: { trouble in
          "Have a new key made, RSA with 2048 bits or on the curve P-256 at least, and a certificate for it; pin the new "
            + "key as a backup before it is put into service. \(trouble.exception(.weakKey))"
        })
    })
}
