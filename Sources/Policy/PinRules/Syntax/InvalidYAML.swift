import Diagnostics
import PinPolicy

extension Rule {
  /// Policy files are YAML, indented with spaces.
  static let invalidYAML = Rule(
    code: "P103",
    name: "invalid-yaml",
    severity: .error,
    title: "A policy file isn't valid YAML.",
    rationale: """
      After a syntax error, nothing can be trusted to mean what it seems to mean. Tabs are rejected wherever they could
      be indentation, because editors show them in different widths.
      """,
    failing: Example(
      """
      version: 1
      defaults: { mode: enforce, include-subdomains: true
      owner: payments-security@example.com
      """),
    passing: Example(
      """
      version: 1
      defaults: { mode: enforce, include-subdomains: true }
      owner: payments-security@example.com
      """),
    citation: "YAML 1.2.2; section 6.1 for tabs",
    isSuppressible: false,
    check: .policy { input in
      var tabs = TabFixes(input)
      return input.policy.problems.compactMap { finding($0, &tabs) }
    })

  private static func finding(_ problem: PolicyProblem, _ tabs: inout TabFixes) -> Finding? {
    switch problem.kind {
    case .invalidYAML(let reason):
      Finding(
        at: problem.place, "this isn't valid YAML: \(reason)",
        related: problem.related.map { [Diagnostic.Related("the part that it belongs to begins here", at: $0)] }
          ?? [],
        help: help(reason, at: problem))
    case .tab:
      Finding(
        at: problem.place, "a tab where YAML allows only spaces", help: "Indent with spaces.",
        fixes: tabs.fixes(at: problem.place))
    default: nil
    }
  }

  private static func help(_ reason: String, at problem: PolicyProblem) -> String {
    let begin = problem.related?.start.column ?? problem.place.start.column
    if reason.contains("in line with"), problem.place.start.column > begin {
      let spaces = counted(Int(problem.place.start.column - begin), "space")
      return "Remove \(spaces) before " + (reason.hasPrefix("a list item") ? "the '-'." : "the field.")
    }
    return ["'[…]'", "'{…}'", "never closed"].contains(where: reason.contains)
      ? "Look for a bracket, a quotation mark or a colon that is missing here or on the lines above."
      : "Check this line and those above: the indentation, quotation marks, and a colon after each field name."
  }
}
