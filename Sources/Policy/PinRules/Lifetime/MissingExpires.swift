import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// An entry that enforces for ever.
  static let missingExpires = Rule(
    code: "P401",
    name: "missing-expires",
    severity: .warning,
    title: "A host entry enforces without an expiry.",
    rationale: """
      Pins are right for a time. A client that can't fetch a new manifest, because nobody maintains it or because the
      pins themselves block it, enforces the old ones for ever. `expires` and `on-expiry` say how long an entry can be
      relied on and what happens then.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: api.example.com
          mode: enforce
          keys: { active: [example-root], backup: [api-spare] }
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr }
      hosts:
        - host: api.example.com
          mode: enforce
          keys: { active: [example-root], backup: [api-spare] }
          expires: 2027-06-01
          on-expiry: report-only
      """),
    citation: "RFC 7469 sections 2.1.2 and 4.1",
    check: .policy { input in
      let hosts = input.policy.hosts
      let endless = input.hostFacts.entries(with: .enforces).filter { hosts[$0].expires == nil }
      return endless.filter { !input.mayHave("expires", hosts[$0]) }.map { index in
        let host = hosts[index]
        return Finding(
          at: host.written.place, "'\(host.label)' enforces without an expiry",
          help: "Add 'expires:' and 'on-expiry:' to the entry, or to the 'defaults:' of its file.",
          fixes: expiry(for: host, input))
      }
    })

  /// A year, and `on-expiry` unless it is set already.
  private static func expiry(for host: Policy.HostEntry, _ input: CheckInput) -> [Fix] {
    let place = host.written.place
    let defaults = input.file(of: host)?.defaults
    let says = host.onExpiry != nil || defaults?.onExpiry != nil
    guard let file = input.file(of: place), let expires = file.adding("expires", input.nextExpiry, besideFieldAt: place)
    else { return [] }
    if says { return .fix("add 'expires: \(input.nextExpiry)'", .suggested, expires) }
    let both = file.adding(
      [("expires", input.nextExpiry), ("on-expiry", "report-only")], besideFieldAt: place)
    return .fix("add 'expires: \(input.nextExpiry)' and 'on-expiry: report-only'", .suggested, both)
  }
}
