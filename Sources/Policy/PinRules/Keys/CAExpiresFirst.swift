import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A pinned CA whose certificate ends before the entry that relies on it.
  static let caExpiresFirst = Rule(
    code: "P322",
    name: "ca-expires-first",
    severity: .warning,
    title: "A pinned CA's certificate expires before the host entry does.",
    rationale: """
      After its notAfter a CA's certificate is in no validated chain, and its pin matches nothing. The CA will have moved
      its customers to another key long before that, while the entry still claims to know which keys are right.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-expiring: { file: keys/expiring-intermediate.pem }
        example-root: { file: keys/example-root.pem }
      key-sets:
        public-web: { active: [example-expiring], backup: [example-root] }
      hosts:
        - host: api.example.com
          keys: public-web
          expires: 2027-06-01
          on-expiry: report-only
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-expiring: { file: keys/expiring-intermediate.pem }
        example-root: { file: keys/example-root.pem }
      key-sets:
        public-web: { active: [example-expiring], backup: [example-root] }
      hosts:
        - host: api.example.com
          keys: public-web
          expires: 2027-01-15
          on-expiry: report-only
      """),
    citation: "RFC 5280 section 4.1.2.5",
    check: .policy(casThatExpireFirst))
}

private func casThatExpireFirst(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  var longest: [Int: (host: Int, expires: Located<Instant>)] = [:]
  for use in input.keySetsInUse where use.some.contains(.isCA) {
    let last = use.hosts.max { lifetime(of: policy.hosts[$0]) < lifetime(of: policy.hosts[$1]) }
    guard let last, let expires = policy.hosts[last].expires else { continue }
    for member in policy.keySets[use.set].members where input.keyFacts.traits[member.key].contains(.isCA) {
      if let known = longest[member.key], known.expires.value >= expires.value { continue }
      longest[member.key] = (last, expires)
    }
  }
  return longest.sorted { $0.key < $1.key }.compactMap { index, last in
    let key = policy.keys[index]
    guard let certificate = key.material?.certificate, certificate.isCA, certificate.notAfter < last.expires.value
    else {
      return nil
    }
    let verb = certificate.notAfter < input.instant ? "expired" : "expires"
    return Finding(
      at: key.sourcePlace, "the CA certificate of key '\(key.name.value)' \(verb) at \(certificate.notAfter)",
      related: [
        Diagnostic.Related(
          "'\(policy.hosts[last.host].label)' relies on it until \(last.expires.value)", at: last.expires.place)
      ],
      help: "Also pin the key that the CA uses next, or set an earlier 'expires:'.",
      fixes: input.instant < certificate.notAfter
        ? input.writing(input.day(of: certificate.notAfter), at: last.expires.place, .suggested) : [])
  }
}

private func lifetime(of host: Policy.HostEntry) -> Instant { host.expires?.value ?? .earliest }
