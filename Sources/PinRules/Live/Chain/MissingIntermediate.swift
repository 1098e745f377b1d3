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
        { failure, judged, _ in facts.isIntermediateMissing(failure, judged) },
        phrase: { trouble in
          guard let gap = trouble.gap else { return "doesn't send the certificate that issued its own" }
          let issuer = "'\(CertificateText.name(in: gap.issuer))'"
          let issued = "which issued '\(facts.name(gap.last))'"
          return trouble.isIssuerKnown
            ? "doesn't send the intermediate \(issuer), \(issued)" + address(of: gap)
            : "doesn't send the certificate of \(issuer), \(issued), and no trust store has it" + address(of: gap)
        },
        help: { trouble in
          let whole = "its own certificate, then each intermediate, without the root."
          if trouble.isIssuerKnown {
            return "Have the server send its whole chain: \(whole) \(trouble.intermediates)"
          }
          if let interception = trouble.interception { return interception }
          let issuer = trouble.gap.map { "'\(CertificateText.name(in: $0.issuer))'" } ?? "the issuer"
          return "If \(issuer) is an intermediate CA, have the server send its whole chain: \(whole) "
            + "\(trouble.intermediates) If it is a root, clients have to trust it. \(trouble.anchors)"
        })
    })
}

private func address(of gap: ChainGap) -> String {
  guard let url = gap.urls.first else { return "" }
  return " (Authority Information Access says it is at \(CertificateText.shown(url, most: 120)); it was not fetched)"
}

/// Where a path stops for lack of an issuer.
private struct ChainGap {
  /// The certificate whose issuer is missing.
  var last: SHA256Digest
  /// The issuer's name in RFC 4514 text.
  var issuer: String
  var urls: [String]

  /// Nil where the path ends in a self-signed certificate or holds nothing that can be read.
  init?(_ chain: [SHA256Digest], _ facts: LiveFacts) {
    guard let last = chain.last, let record = facts.record(last), !record.isSelfSigned else { return nil }
    self.last = last
    issuer = record.issuer
    urls = record.issuerURLs
  }
}

extension TrustTrouble {
  fileprivate var gap: ChainGap? { ChainGap(chain, facts) }

  /// True where the evidence or the policy has a certificate of the issuer that wasn't sent.
  fileprivate var isIssuerKnown: Bool { gap.map { facts.isRoot[$0.issuer] != nil } ?? false }
}

extension LiveFacts {
  /// Tells an intermediate that wasn't sent from a root that isn't trusted, as far as anything can.
  ///
  /// Both look alike from outside: a chain that stops below a name. A certificate by that name settles it. Otherwise the
  /// name itself is all there is: what is called a root is one, and for other names both have to be said.
  func isIntermediateMissing(_ failure: TrustFailure, _ judged: LiveTarget.Judged) -> Bool {
    guard failure.code == .missingIntermediate || failure.code == .unknownIssuer else { return false }
    guard let gap = ChainGap(judged.path.chain, self) else { return false }
    if let isRoot = isRoot[gap.issuer] { return !isRoot }
    return !CertificateText.name(in: gap.issuer).lowercased().split { !$0.isLetter }.contains("root")
  }
}
