import Diagnostics
import PinPolicy

extension Rule {
  /// A set for the hosts of a CDN that has no key of one of the CDN's authorities.
  static let serviceAuthorityMissing = Rule(
    code: "P346",
    name: "service-authority-missing",
    severity: .warning,
    title: "A key set has no active key of an authority that its service gets certificates from.",
    rationale: """
      CDNs and managed services get certificates from several authorities, and switch between them without asking: at
      any renewal, and at once if one of them fails. `service:` says which service a key set is for. Its active keys
      should include one of each authority that the service says it uses.
      """,
    failing: Example(
      """
      version: 1
      keys:
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
        digicert-global-root-g2: { pin: sha256/i7WTqTvh0OioIruIfFR4kMPnBqrS2rdiVPl/s2uC/CY=, position: root }
      key-sets:
        public-web: { active: [gts-root-r1], backup: [digicert-global-root-g2], service: cloudflare }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    passing: Example(
      """
      version: 1
      keys:
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
        usertrust-rsa: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, position: root }
      key-sets:
        public-web: { active: [gts-root-r1], backup: [usertrust-rsa] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "docs/authorities.md",
    check: .policy(missingServiceAuthorities))
}

private func missingServiceAuthorities(_ input: CheckInput) -> [Finding] {
  input.keySetsInUse.compactMap { use in
    let set = input.policy.keySets[use.set]
    guard let service = set.service else { return nil }
    let known = input.authorities.known
    guard let facts = known.service(named: service.value) else {
      // Where nothing is known, the only finding is a misspelt name.
      let names = known.services.map(\.name)
      return Suggestion.nearest(to: service.value, among: names).map {
        Finding(
          at: service.place, "\(Wording.quoted(service.value)) is not the name of a known service",
          help: "Did you mean '\($0)'?", fixes: input.writing($0, at: service.place, .suggested))
      }
    }
    let pinned = Set(set.active.compactMap { input.authorities.authority(of: input.policy.keys[$0.key])?.name })
    let missing = facts.authorities.filter { !pinned.contains($0) }
    guard !missing.isEmpty else { return nil }
    return Finding(
      at: service.place,
      "\(set.title) has no active key of \(Wording.list(missing, joinedBy: "or")), "
        + "which '\(facts.name)' gets certificates from",
      help: "Add an active key of each: 'pintle authorities suggest \(facts.name)' shows which.",
      citation: facts.source.citation, severity: use.severity(.warning))
  }
}
