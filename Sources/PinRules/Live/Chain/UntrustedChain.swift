import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy
import PinValidator

extension Rule {
  /// A chain that ends where no client begins to trust.
  static let untrustedChain = Rule(
    code: "P507",
    name: "untrusted-chain",
    severity: .error,
    title: "A server's chain leads to no trusted anchor.",
    rationale: """
      A client trusts the roots of its trust store and, where the policy says so, the anchors of the entry. A chain that
      leads to none of them proves nothing. If it holds under one trust store and not under another, clients with the
      other are shut out: mostly old systems that don't know a new root, or new ones that have dropped an old one.
      """,
    failing: .live(
      "unknown-root", "The server's chain is whole, but ends in a root that the trust store 'minimal' doesn't have."),
    passing: .live("whole-chain", "The server's chain ends in a root that each trust store has."),
    citation: "RFC 5280 section 6.1; Apple, TN2232",
    check: .live { _, facts in
      facts.trustFindings(
        { failure, judged, _ in
          (failure.code == .unknownIssuer || failure.code == .missingIntermediate)
            && !facts.isIntermediateMissing(failure, judged)
        },
        phrase: \.untrustedEnd, related: \.anchorsPlace,
        help: { trouble in
          "Have the server present a chain to a root that its clients trust, with every intermediate on the way; "
            + trouble.anchors + "."
        })
    })
}

extension TrustTrouble {
  /// Where a path ends, and why that is no anchor.
  fileprivate var untrustedEnd: String {
    let end = chain.last.flatMap { facts.record($0) } ?? record
    guard let end else { return "has a chain that leads to no trusted anchor" }
    let name = CertificateText.name(end)
    if end.isSelfSigned { return "has a chain that ends in the root '\(name)', which is no trusted anchor" }
    let issuer = CertificateText.name(in: end.issuer)
    return "has a chain that ends at '\(name)', whose issuer '\(issuer)' was not sent and is no trusted anchor"
  }
}
