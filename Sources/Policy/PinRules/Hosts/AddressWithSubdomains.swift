import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// An address has no subdomains.
  static let addressWithSubdomains = Rule(
    code: "P208",
    name: "address-with-subdomains",
    severity: .error,
    title: "An IP address can't include subdomains.",
    rationale: """
      An address is not a domain: it is matched exactly, and `1.10.0.0.5` isn't below `10.0.0.5`. The author probably
      meant a network, which is written as one entry for each address, or the name of the host. `defaults:` that include
      subdomains don't apply to addresses.
      """,
    failing: .publicWeb(
      """
      hosts:
        - host: 10.0.0.5
          include-subdomains: true
          keys: public-web
      """),
    passing: .publicWeb(
      """
      hosts:
        - host: 10.0.0.5
          keys: public-web
      """),
    citation: "docs/policy.md#hosts",
    isSuppressible: false,
    check: .policy { input in
      input.hostFacts.entries(with: .isAddress).compactMap { index in
        let entry = input.policy.hosts[index]
        guard let own = input.written(entry)?.terms.includeSubdomains, own.value else { return nil }
        return Finding(
          at: own.place, "'\(entry.host)' is an IP address, which has no subdomains",
          help: "Delete 'include-subdomains:'. Each address needs its own entry.",
          fixes: input.deletingField("include-subdomains", at: own.place, .suggested))
      }
    })
}
