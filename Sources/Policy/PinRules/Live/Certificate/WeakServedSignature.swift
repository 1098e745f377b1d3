import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

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
