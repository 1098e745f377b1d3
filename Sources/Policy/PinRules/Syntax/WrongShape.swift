import Diagnostics
import PinPolicy

extension Rule {
  /// Each field takes one of YAML's three shapes.
  static let wrongShape = Rule(
    code: "P108",
    name: "wrong-shape",
    severity: .error,
    title: "A field has a list, a mapping or a single value where another of these is required.",
    rationale: """
      The format never guesses: a single value isn't a list of one, so there is one way to write each file, and a rotation
      changes one line.
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
    check: .problems { problem, input in
      guard case .wrongShape(let field, let expected, let found) = problem.kind else { return nil }
      let help =
        switch (expected, found) {
        case _ where field == "policy file":
          "A policy file begins with 'version: 1'. Move any other file out of the policy's directory."
        case (_, "nothing"): "Add \(expected), or delete \(Wording.field(field))."
        case ("a list", "a single value"): "Put the value in brackets, '[…]', or on its own line after a '-'."
        default: "Write \(expected) here."
        }
      return Finding(
        at: problem.place, "\(Wording.field(field)) takes \(expected), not \(found)", help: help,
        fixes: fixes(field, expected, found, problem.place, input))
    })

  private static func fixes(
    _ field: String, _ expected: String, _ found: String, _ place: Place, _ input: CheckInput
  ) -> [Fix] {
    guard let file = input.file(of: place) else { return [] }
    if found == "nothing" {
      return .fix("delete the empty '\(field)'", .suggested, file.removing(fieldAt: place, named: field))
    }
    if expected == "a list" || expected.hasPrefix("a list of at most"), found == "a single value",
      let text = file.scalar(at: place)
    {
      // 'a, b' was probably meant as two items, and '~' as none.
      let isOne =
        !text.contains { $0 == "," || $0 == ";" || $0.isWhitespace } && !["~", "null"].contains(text.lowercased())
      return .fix(
        "write it as a list of one", isOne ? .safe : .suggested, [file.replacingWithList([text], at: place)])
    }
    // A list with one key's name means a key, not the key set of that name.
    guard found == "a list", let items = file.scalars(ofFlowListAt: place) else { return [] }
    if expected == "a key set's name or a mapping" {
      let names = items.joined(separator: ", ")
      return .fix(
        "write a set of these keys", .suggested, file.replacingValue(at: place, with: "{ active: [\(names)] }"))
    }
    guard let only = items.first, items.count == 1, !expected.hasPrefix("a mapping") else { return [] }
    return .fix(
      "write the one value", .safe, file.replacingValue(at: place, with: file.replacing(place, with: only).text))
  }
}
