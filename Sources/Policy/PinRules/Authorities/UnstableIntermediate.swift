import Diagnostics
import PinPolicy

extension Rule {
  /// A pinned intermediate that may be replaced on any day.
  static let unstableIntermediate = Rule(
    code: "P344",
    name: "unstable-intermediate",
    severity: .warning,
    title: "A pinned intermediate belongs to an authority that changes its intermediates without notice.",
    rationale: """
      Such authorities say so themselves: they have several intermediates, choose one at each renewal, and make new ones
      without notice. In June 2024, Let's Encrypt replaced two intermediates by others from one day to the next, as it
      had said it would. Programs that had pinned the two couldn't connect after the next renewal. Pin the roots above
      the intermediates, or a key of your own.
      """,
    failing: Example(
      """
      version: 1
      keys:
        lets-encrypt-r10: { pin: sha256/K7rZOrXHknnsEhUH8nLL4MZkejquUuIvOIr6tCa0rbo=, position: intermediate }
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
      key-sets:
        public-web: { active: [lets-encrypt-r10], backup: [gts-root-r1] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    passing: Example(
      """
      version: 1
      keys:
        usertrust-rsa: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, position: root }
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
      key-sets:
        public-web: { active: [usertrust-rsa], backup: [gts-root-r1] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "Apple, Create a Long-Term Server Authentication Strategy; docs/authorities.md",
    check: .policy(unstableIntermediates))
}

private func unstableIntermediates(_ input: CheckInput) -> [Finding] {
  guard !input.authorities.known.authorities.isEmpty else { return [] }
  return input.keySetsInUse.flatMap { use -> [Finding] in
    let set = input.policy.keySets[use.set]
    guard !input.policy.hasOwnTrust(use) else { return [] }
    return set.members.compactMap { member in
      guard let authority = input.unstableAuthority(of: member.key, in: use), let change = authority.issuersChange
      else {
        return nil
      }
      let key = input.policy.keys[member.key]
      return Finding(
        at: member.place,
        "the pinned intermediate '\(key.name.value)' may be replaced without notice by \(authority.owner)",
        related: use.related(in: input.policy),
        help: "Pin the authority's roots instead: 'pintle authorities suggest \(authority.name)' shows them.",
        citation: change.source.citation, severity: use.severity(.warning))
    }
  }
}

extension CheckInput {
  /// The authority of a pinned intermediate that changes its intermediates without notice, unless the set has a root of
  /// that authority as well.
  func unstableAuthority(of index: Int, in use: KeySetUse) -> Authority? {
    let key = policy.keys[index]
    let known = key.pin.flatMap { authorities.known[$0] }
    guard !key.isDenied, known?.position != .root, known != nil || PinnedAuthorities.issuer(of: key) != nil,
      let authority = authorities.authority(of: key), authority.issuersChange?.notice == .withoutNotice
    else { return nil }
    let pins = pins(of: use)
    return authority.keys.contains { $0.position == .root && pins.contains($0.pin) } ? nil : authority
  }
}
