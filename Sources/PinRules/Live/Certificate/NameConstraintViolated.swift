import Diagnostics
import PinEvidence
import PinFormat
import PinPolicy
import PinValidator

extension Rule {
  /// A certificate with names that its authority may not issue for.
  static let nameConstraintViolated = Rule(
    code: "P510",
    name: "name-constraint-violated",
    severity: .error,
    title: "A server's certificate has names that its authority isn't permitted.",
    rationale: """
      An authority can be bound to certain names, a company's to the company's own. One of its certificates that has any
      other name is refused as a whole, by every client that knows the rule.
      """,
    failing: .live(
      "constrained", "The server's certificate was issued by an authority for another domain's names.",
      Example.liveLeaf),
    passing: .live(
      "staple-good", "The server's certificate was issued by an authority for all names.", Example.liveLeaf),
    citation: "RFC 5280 section 4.2.1.10",
    check: .live { _, facts in
      facts.trustFindings(
        { failure, _, _ in failure.code == .nameConstraints },
        phrase: { trouble in
          let names = trouble.record?.names.map { CertificateText.shown($0) } ?? []
          let covered = names.isEmpty ? "" : ": \(Wording.list(names))"
          let authorities = trouble.chain.dropFirst().map { facts.name($0) }
          let above = authorities.isEmpty ? "" : " (\(Wording.list(authorities, joinedBy: "or")))"
          return "presents a certificate with names that an authority above it\(above) isn't permitted to issue for"
            + covered
        },
        help: { trouble in
          "Have the certificate issued anew by an authority that may issue for its names, or without the names that it "
            + "may not have. No exception excuses this; where nothing else is left, \(trouble.oneCertificate)."
        })
    })
}
