import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

extension Rule {
  /// A chain that ends where no client begins to trust.
  static let untrustedChain = Rule(
    code: "P507",
    name: "untrusted-chain",
    severity: .error,
    title: "A server's chain doesn't lead to a trust anchor.",
    rationale: """
      A client trusts the roots of its trust store and the anchors of the entry, if it has any. A chain that leads to none of
      them proves nothing. If it is valid under one trust store and not under another, clients with the other are locked
      out: usually old systems that lack a new root, or new ones that have removed an old one.
      """,
    failing: .live(
      "unknown-root", "The server's chain is whole, but ends in a root that the trust store 'minimal' doesn't have."),
    passing: .live("whole-chain", "The server's chain ends in a root that each trust store has."),
    citation: "RFC 5280 section 6.1; Apple, TN2232",
    check: .live { _, facts in
      facts.trustFindings(
        { cause, _ in
          (cause.failure.code == .unknownIssuer || cause.failure.code == .missingIntermediate)
            && !cause.isIntermediateMissing
        },
        related: \.anchorsPlace,
        help: { trouble in
          trouble.interception
            ?? "Have the server present a chain to a root that its clients trust, with every intermediate. \(trouble.anchors)"
        })
    })
}
