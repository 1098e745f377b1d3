import Diagnostics
import PinPolicy

extension Rule {
  /// A suppression names its code, its end and its reason.
  static let malformedSuppression = Rule(
    code: "P111",
    name: "malformed-suppression",
    severity: .error,
    title: "A suppression comment is incomplete.",
    rationale: """
      A finding may be suppressed for a time, by a comment on its line that says which one, until when and why. A
      suppression without an end is never reviewed again, and one without a reason can't be reviewed at all.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: api.example.com  # pintle:allow P205
          keys: public-web
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: api.example.com  # pintle:allow P205 until 2027-01-15: both entries are kept during the move
          keys: public-web
      """),
    citation: "docs/policy.md#accepting-a-finding-for-a-time",
    isSuppressible: false,
    check: .problems { problem, input in
      guard case .malformedSuppression(let reason) = problem.kind else { return nil }
      return Finding(
        at: problem.place, "this suppression is incomplete: \(reason)",
        help: "Write '# pintle:allow CODE until YYYY-MM-DD: REASON' at the end of the line that the finding is on.",
        fixes: .fix(
          "delete the comment", .suggested, input.file(of: problem.place)?.removing(commentAt: problem.place)))
    })
}
