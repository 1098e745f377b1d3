import Diagnostics
import PinPolicy

extension Rule {
  /// Each field takes one of YAML's three shapes.
  static let wrongShape = Rule(
    code: "P108",
    name: "wrong-shape",
    severity: .error,
    title: "A field holds a list, a mapping or a single value where another of these belongs.",
    rationale: """
      The format never guesses: a single value isn't taken for a list of one, so that each file has one way to be
      written and a rotation is a change of one line.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          keys: public-web
          report-uris: https://pins.example.org/reports
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: api.example.com
          keys: public-web
          report-uris: [https://pins.example.org/reports]
      """),
    citation: "docs/policy.md#reference",
    isSuppressible: false,
    check: .problems { problem in
      guard case .wrongShape(let field, let expected, let found) = problem.kind else { return nil }
      let help =
        switch (expected, found) {
        case (_, "nothing"): "Add \(expected), or delete \(Wording.field(field))."
        case ("a list", "a single value"): "Put the value in brackets, '[…]', or behind a '-' on a line of its own."
        default: "Write \(expected) here."
        }
      return Finding(at: problem.place, "\(Wording.field(field)) takes \(expected), not \(found)", help: help)
    })
}
