import Diagnostics
import PinPolicy

extension Rule {
  /// A manifest stays within the size that its clients were promised.
  static let tooManyHosts = Rule(
    code: "P210",
    name: "too-many-hosts",
    severity: .error,
    title: "The policy has more host entries than its limit allows.",
    rationale: """
      Every client loads the whole manifest and keeps it in memory. The limit protects the smallest of
      them: a generated policy that is too large is stopped here instead of on their devices.
      """,
    failing: .publicWeb(
      """
      manifest:
        audience: production
        limits: { max-hosts: 1 }
      hosts:
        - host: api.example.com
          keys: public-web
        - host: www.example.com
          keys: public-web
      """),
    passing: .publicWeb(
      """
      manifest:
        audience: production
        limits: { max-hosts: 2 }
      hosts:
        - host: api.example.com
          keys: public-web
        - host: www.example.com
          keys: public-web
      """),
    citation: "docs/policy.md#manifest",
    isSuppressible: false,
    check: .policy { input in
      guard let first = input.policy.hosts.first else { return [] }
      let limit = input.policy.effectiveSettings.maximumHosts
      guard input.policy.hosts.count > limit else { return [] }
      let written = input.policy.files.lazy.compactMap { $0.settings?.maximumHosts?.place }.first
      return [
        Finding(
          at: written ?? input.policy.settings?.place ?? first.written.place,
          "the policy has \(counted(input.policy.hosts.count, "host")), more than the limit of \(limit)",
          help: "Use one entry with 'include-subdomains: true' for many hosts, or raise 'max-hosts:' in 'limits:'.")
      ]
    })
}
