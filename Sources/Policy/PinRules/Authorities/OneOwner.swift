import Diagnostics
import PinPolicy

extension Rule {
  /// Active keys that seem to belong to several authorities, but don't.
  static let oneOwner = Rule(
    code: "P345",
    name: "one-owner",
    severity: .note,
    title: "Active keys with the names of different CAs belong to one owner.",
    rationale: """
      CAs are bought, and their roots keep the names of companies that no longer exist. Two names in a key set look like
      two independent authorities. If one company owns both, both are lost when that company is distrusted.
      """,
    failing: Example(
      """
      version: 1
      keys:
        usertrust-rsa: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, position: root }
        comodo-rsa: { pin: sha256/grX4Ta9HpZx6tSHkmCrvpApTQGo67CYDnvprLg5yRME=, position: root }
        gts-root-r1: { pin: sha256/hxqRlPTu1bMS/0DITB1SSu0vd4u/8l8TjPgfaAp63Gc=, position: root }
      key-sets:
        public-web: { active: [usertrust-rsa, comodo-rsa], backup: [gts-root-r1] }
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
    citation: "docs/authorities.md",
    check: .policy(sharedOwners))
}

private func sharedOwners(_ input: CheckInput) -> [Finding] {
  let known = input.authorities.known
  guard !known.authorities.isEmpty else { return [] }
  return input.keySetsInUse.compactMap { use in
    let set = input.policy.keySets[use.set]
    guard !input.policy.hasOwnTrust(use) else { return nil }
    let active = set.active.compactMap { input.policy.keys[$0.key].pin.flatMap { known[$0] } }
    let owners = Dictionary(grouping: active) { known.authority(of: $0)?.owner ?? "" }
    for (owner, keys) in owners.sorted(by: { $0.key < $1.key }) where !owner.isEmpty {
      let names = Dictionary(grouping: keys) { $0.organization(ofOwner: owner) }
      let first = names.keys.sorted().first { name in !names.isJoined(name) }
      guard let first, let other = names.keys.sorted().first(where: { $0 != first }) else { continue }
      return Finding(
        at: set.place,
        "\(set.title) has active keys of \([first, other].map { "'\($0)'" }.listed()), which both belong to \(owner)",
        related: use.related(in: input.policy),
        help: "Don't count them as two authorities. Hosts can only fall back on a key of another owner.")
    }
    return nil
  }
}

extension [String: [AuthorityKey]] {
  /// Whether keys of one name are pinned for those of another: a path through the one may end at the other, or the names
  /// are spellings of one (`GlobalSign`, `GlobalSign nv-sa`).
  fileprivate func isJoined(_ name: String) -> Bool {
    let own = self[name] ?? []
    return contains { other, keys in
      other != name
        && (other.hasPrefix(name) || name.hasPrefix(other)
          || keys.contains { key in own.contains { key.isCertified(byOrCertifies: $0) } })
    }
  }
}

extension AuthorityKey {
  /// The organisation of the certificate's subject; the owner's name where it has the initials of that (`O=ISRG`).
  fileprivate func organization(ofOwner owner: String) -> String {
    let name = CertificateSubject(subject).first("O") ?? subject
    let initials = owner.utf8.split(separator: UInt8(ascii: " ")).lazy.compactMap(\.first)
    return name.utf8.elementsEqual(initials) ? owner : name
  }

  /// Two roots of which one certified the other are pinned together for that reason.
  fileprivate func isCertified(byOrCertifies other: AuthorityKey) -> Bool {
    signedBy.contains { $0.key == other.name } || other.signedBy.contains { $0.key == name }
  }
}
