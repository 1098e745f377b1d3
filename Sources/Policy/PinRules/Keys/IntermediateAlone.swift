import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A pinned intermediate that nothing of its CA is beside.
  static let intermediateAlone = Rule(
    code: "P317",
    name: "intermediate-alone",
    severity: .warning,
    title: "An intermediate CA is pinned without its root or a sibling.",
    rationale: """
      CAs change their intermediates at will: to renew them, to spread load, or because one had to be withdrawn. The next
      certificate may come from another one of the same root, without any notice to those who pinned the first. With the
      keys of the sibling intermediates in the set, or the root in place of the intermediate, that certificate is still
      accepted. A root beside the intermediate does the same, and then the pin of the intermediate changes nothing.
      """,
    failing: Example(
      """
      version: 1
      keys:
        example-intermediate: { file: keys/example-intermediate.pem }
        api-spare: { file: keys/api-spare.csr }
      key-sets:
        public-web: { active: [example-intermediate], backup: [api-spare] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    passing: Example(
      """
      version: 1
      keys:
        example-intermediate: { file: keys/example-intermediate.pem }
        example-intermediate-2: { file: keys/example-intermediate-2.pem }
        api-spare: { file: keys/api-spare.csr }
      key-sets:
        public-web: { active: [example-intermediate, example-intermediate-2], backup: [api-spare] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "Apple, Create a Long-Term Server Authentication Strategy; RFC 7469 appendix B",
    check: .policy(intermediatesAlone))
}

private func intermediatesAlone(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  let uses = input.keySetsInUse.lazy.filter { use in
    use.isWhole && use.some.contains(.standsInTheMiddle) && !use.some.contains(.mayBeAnyCA)
  }
  return uses.flatMap { use -> [Finding] in
    let all = policy.keySets[use.set].members
    let members = Set(all.map(\.key))
    return all.compactMap { member in
      let key = policy.keys[member.key]
      guard key.standing == .intermediate, let certificate = key.material?.certificate, certificate.isCA,
        !certificate.isSelfIssued, !input.hierarchy.isAccompanied(member.key, among: members),
        // What its authority says of such keys is a graver finding.
        input.unstableAuthority(of: member.key, in: use) == nil
      else { return nil }
      return Finding(
        at: member.place, "intermediate '\(key.name.value)' is pinned without its root or a sibling",
        related: [
          Diagnostic.Related("issued by \(Wording.quoted(certificate.issuer, most: 120))", at: key.sourcePlace)
        ],
        help:
          "Add the keys of the CA's other intermediates to the set; or pin the root that issued it instead, below which "
          + "each of them passes.",
        severity: use.severity(.warning))
    }
  }
}

extension Hierarchy {
  /// True where the set holds a key above an intermediate, or another key of its issuer's, or where the intermediate is
  /// a root that another CA certified as well.
  fileprivate func isAccompanied(_ key: Int, among members: Set<Int>) -> Bool {
    if members.contains(where: { isRoot($0, ofSameKeyAs: key) }) { return true }
    if ancestors(of: key).contains(where: members.contains) { return true }
    return members.contains { $0 != key && isOtherCA($0, than: key) && haveOneIssuer($0, key) }
  }
}
