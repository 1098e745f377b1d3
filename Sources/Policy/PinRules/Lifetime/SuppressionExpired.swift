import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A suppression whose end date has passed.
  static let suppressionExpired = Rule(
    code: "P409",
    name: "suppression-expired",
    severity: .warning,
    title: "A suppression has ended.",
    rationale: """
      A suppression hides a finding until a date, so that it is reviewed again. From then on the finding is back, or, if the
      cause is gone, only the comment is left.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: api.example.com  # pintle:allow P401 until 2026-11-01: the expiry is settled in October
          keys: { active: [example-root], backup: [api-spare] }
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: api.example.com  # pintle:allow P401 until 2027-02-01: the expiry is settled in January
          keys: { active: [example-root], backup: [api-spare] }
      """),
    citation: "docs/policy.md#accepting-a-finding-for-a-time",
    isSuppressible: false,
    check: .suppressions { input, _ in
      input.policy.suppressions.filter { $0.until <= input.instant }.map { suppression in
        Finding(
          at: suppression.place, "the suppression of \(suppression.code) ended at \(suppression.until)",
          help: "Fix the finding and remove the comment, or suppress it again with a later date.",
          fixes: input.deletingCode(of: suppression, .suggested))
      }
    })
}
