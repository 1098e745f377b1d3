import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// An entry whose time is nearly over.
  static let expiringSoon = Rule(
    code: "P404",
    name: "expiring-soon",
    severity: .warning,
    title: "A host entry expires soon.",
    rationale: """
      A new expiry reaches a client only with a new manifest, and some clients fetch that late. So an expiry is reported
      while there is still time to review the pins and to release them: 30 days before, or what
      `limits: { expiry-warning: … }` of the manifest's settings says.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: api.example.com
          keys: { active: [example-root], backup: [api-spare] }
          expires: 2026-12-01
          on-expiry: report-only
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: api.example.com
          keys: { active: [example-root], backup: [api-spare] }
          expires: 2027-06-01
          on-expiry: report-only
      """),
    citation: "docs/policy.md#two-clocks",
    check: .policy(entriesExpiringSoon))
}

private func entriesExpiringSoon(_ input: CheckInput) -> [Finding] {
  let limit = input.instant.adding(seconds: input.policy.effectiveSettings.expiryWarning)
  let hosts = input.policy.hosts
  return input.shared({ hosts[$0].expires }, where: { $0 > input.instant && $0 < limit }).map { group in
    let rest = Wording.duration(group.value.seconds(since: input.instant))
    return Finding(
      at: group.place,
      "\(group.label(in: input.policy)) \(group.verb("expires", "expire")) at \(group.value), in \(rest)",
      help: "Check that the pins are still right, set a later 'expires:', and release the manifest in time.",
      fixes: input.writing(input.nextExpiry, at: group.place, .suggested))
  }
}
