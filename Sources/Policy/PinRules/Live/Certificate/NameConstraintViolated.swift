import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

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
