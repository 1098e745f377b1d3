import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// An entry whose time has passed.
  package static let expired = Rule(
    code: "P403",
    name: "expired",
    severity: .error,
    title: "A host entry has expired.",
    rationale: """
      After its expiry an entry does what `on-expiry` says, which is rarely what its other lines say. Releasing it again
      would ship a protection that has ended, or a block that nobody intended.
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
          expires: 2026-11-01
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
    citation: "RFC 7469 section 2.1.2",
    check: .policy { input in
      input.shared({ input.policy.hosts[$0].expires }, where: { $0 <= input.instant }).map { group in
        Finding(
          at: group.place, "\(group.label(in: input.policy)) expired at \(group.value)",
          related: group.onExpiry(in: input.policy),
          help: "Check that the pins are still right and set a later 'expires:', or remove the entry. "
            + "If an urgent release can't wait for that, add '# pintle:allow P403 until DATE: REASON' to the line.",
          fixes: input.writing(input.nextExpiry, at: group.place, .suggested))
      }
    })
}

extension SharedValue {
  /// What the first of the entries does on expiry.
  fileprivate func onExpiry(in policy: Policy) -> [Diagnostic.Related] {
    guard let action = policy.hosts[first].onExpiry else { return [] }
    return [Diagnostic.Related("since then '\(action.value.rawValue)' holds", at: action.place)]
  }
}
