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
        { failure, judged, _ in
          (failure.code == .unknownIssuer || failure.code == .missingIntermediate)
            && !facts.isIntermediateMissing(failure, judged)
        },
        phrase: \.untrustedEnd, related: \.anchorsPlace,
        help: { trouble in
          trouble.interception
            ?? "Have the server present a chain to a root that its clients trust, with every intermediate. \(trouble.anchors)"
        })
    })
}

extension TrustTrouble {
  /// Where a path ends, and why that isn't an anchor.
  fileprivate var untrustedEnd: String {
    let end = chain.last.flatMap { facts.record($0) } ?? record
    guard let end else { return "has a chain that doesn't lead to a trust anchor" }
    let name = CertificateText.name(end)
    if end.isSelfSigned { return "has a chain that ends in the root '\(name)', which isn't a trust anchor" }
    let issuer = CertificateText.name(in: end.issuer)
    return "has a chain that ends at '\(name)', whose issuer '\(issuer)' isn't a trust anchor"
  }
}
