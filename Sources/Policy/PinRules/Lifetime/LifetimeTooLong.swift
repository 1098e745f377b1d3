import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// An entry, an exception or a suppression that lives longer than the policy allows.
  static let lifetimeTooLong = Rule(
    code: "P405",
    name: "lifetime-too-long",
    severity: .warning,
    title: "An expiry, or the end of an exception or suppression, is later than the limit allows.",
    rationale: """
      The longer pins live, the longer a client without updates requires keys that no server has any more. RFC 7469
      suggests 60 days for browsers, which get their pins from the server itself; a service that fetches signed
      manifests can use more. An exception or a suppression with a distant end isn't reviewed again either. The limit
      is 400 days, or what `limits: { max-lifetime: … }` of the manifest's settings says.
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
  let policy = input.policy
  let allowed = policy.effectiveSettings.maximumLifetime
  let limit = input.instant.adding(seconds: allowed)
  func finding(_ subject: String, _ end: Instant, at place: Place, _ reminder: String, _ fixes: [Fix]) -> Finding {
    Finding(
      at: place, "\(subject) at \(end), more than \(Wording.duration(allowed)) from now",
      help: "Choose a time up to \(limit), and extend it when \(reminder).",
      fixes: fixes)
  }
  let entries = input.shared({ policy.hosts[$0].expires }, where: { $0 > limit }).map { group in
    finding(
      "\(group.label(in: policy)) \(group.verb("expires", "expire"))", group.value, at: group.place,
      "the pins are reviewed", input.writing(input.day(of: limit), at: group.place, .suggested))
  }
  let exceptions = input.firstHostsOfTrust.flatMap { index in
    let host = policy.hosts[index]
    return (host.trust?.exceptions ?? []).filter { $0.until.value > limit }.map { exception in
      finding(
        "the exception '\(exception.failure.value.rawValue)' of '\(host.label)' ends", exception.until.value,
        at: exception.until.place, "it is still needed then",
        input.writing(input.day(of: limit), at: exception.until.place, .suggested))
    }
  }
  let suppressions = policy.suppressions.filter { $0.until > limit }.map { suppression in
    finding(
      "the suppression of \(suppression.code) ends", suppression.until, at: suppression.place,
      "it is still needed then", [])
  }
  return entries + exceptions + suppressions
}
