import Diagnostics
import PinPolicy

extension Rule {
  /// A set whose every key is one company's.
  static let singleCA = Rule(
    code: "P318",
    name: "single-ca",
    severity: .warning,
    title: "All keys of a set belong to one CA.",
    rationale: """
      CAs are distrusted, bought, hacked or late, and then their customers have days to move. Hosts that are pinned to
      the keys of one CA only can't move before every client has a new manifest. A second CA's key, or a spare key of
      your own that any CA can certify, keeps the way out open.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        example-intermediate: { file: keys/example-intermediate.pem }
      key-sets:
        public-web: { active: [example-intermediate], backup: [example-root] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        example-intermediate: { file: keys/example-intermediate.pem }
        other-root: { file: keys/other-root.pem }
      key-sets:
        public-web: { active: [example-intermediate, example-root], backup: [other-root] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "RFC 7469 appendix B",
    check: .policy(singleCAs))
}

private func singleCAs(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  return input.keySetsInUse.compactMap { use in
    // Any CA can certify a key that isn't a CA's. With anchors of one's own, depending on one CA is the intent.
    guard use.isWhole, use.distinctPins > 1, use.every.contains(.isCA), !policy.hasOwnTrust(use) else { return nil }
    let set = policy.keySets[use.set]
    var organizations: [String: String] = [:]
    for member in set.members {
      let owner = input.authorities.authority(of: policy.keys[member.key])?.owner
      guard let organization = owner ?? input.hierarchy.organization(above: member.key) else { return nil }
      organizations[organization.lowercased()] = organization
    }
    guard organizations.count == 1, let organization = organizations.values.first else { return nil }
    return Finding(
      at: set.place, "all keys of \(set.title) belong to one CA, \(Wording.quoted(organization))",
      related: use.related(in: policy),
      help: "Add the key of a second CA, or a spare key of your own that any CA can certify, to 'backup:'.",
      severity: use.severity(.warning))
  }
}
