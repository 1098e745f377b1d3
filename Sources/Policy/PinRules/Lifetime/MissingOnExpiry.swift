import Diagnostics
import PinPolicy

extension Rule {
  /// An expiry that doesn't say what it means.
  static let missingOnExpiry = Rule(
    code: "P402",
    name: "missing-on-expiry",
    severity: .error,
    title: "A host entry expires without saying what happens then.",
    rationale: """
      Peers disagree on what an expired pin means: Android and TrustKit silently stop pinning, others continue. The
      first opens a host to everybody, the second may lock everybody out, so there is no default: `on-expiry` says
      `enforce`, `report-only`, `unpinned` or `block`.
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
          expires: 2027-06-01
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
    citation: "docs/policy.md#two-clocks; Android, Network Security Configuration, pin-set expiration",
    check: .policy { input in
      let hosts = input.policy.hosts
      return input.shared { index in
        hosts[index].onExpiry == nil && hosts[index].expires != nil && !input.mayHave("on-expiry", hosts[index])
          ? hosts[index].expires : nil
      }.map { group in
        Finding(
          at: group.place,
          "\(group.label(in: input.policy)) \(group.verb("expires", "expire")) at \(group.value) without 'on-expiry:'",
          help: "Add 'on-expiry:' and say what happens then: 'enforce', 'report-only', 'unpinned' or 'block'.",
          fixes: input.adding("on-expiry", "report-only", besideFieldAt: group.place, .suggested))
      }
    })
}
