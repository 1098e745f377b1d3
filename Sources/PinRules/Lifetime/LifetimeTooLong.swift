import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// An entry that lives longer than the policy allows.
  static let lifetimeTooLong = Rule(
    code: "P405",
    name: "lifetime-too-long",
    severity: .warning,
    title: "A host entry expires later than the limit allows.",
    rationale: """
      The longer pins live, the longer a client that lost touch is held to keys that are gone. RFC 7469 thinks of 60 days
      for browsers, which get their pins from the server itself; a service that fetches signed manifests can take more.
      The limit is 400 days, or what `limits: { max-lifetime: … }` of the manifest's settings says.
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
          expires: 2036-01-01
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
    citation: "RFC 7469 section 4.1",
    check: .policy(lifetimesTooLong))
}

private func lifetimesTooLong(_ input: CheckInput) -> [Finding] {
  let allowed = input.policy.effectiveSettings.maximumLifetime
  let limit = input.instant.adding(seconds: allowed)
  return input.policy.shared(\.expires).filter { $0.value > limit }.map { group in
    Finding(
      at: group.place,
      "\(group.label(in: input.policy)) \(group.verb("expires", "expire")) at \(group.value), more than "
        + "\(duration(allowed)) from now",
      help: "Choose a time up to \(limit), and move it on when the pins are reviewed.")
  }
}
