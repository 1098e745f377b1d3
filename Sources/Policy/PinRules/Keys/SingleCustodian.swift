import Diagnostics
import PinPolicy

extension Rule {
  /// A set whose keys all have the same custodian.
  static let singleCustodian = Rule(
    code: "P319",
    name: "single-custodian",
    severity: .warning,
    title: "All keys of a set are held in one place.",
    rationale: """
      A backup key in the same place as the active one is lost in the same fire and stolen in the same break-in. Pins
      protect against neither: only a key that is kept elsewhere does. Two slots or partitions of one HSM are one place.
      """,
    failing: Example(
      """
      version: 1
      keys:
        api: { file: keys/api.pem, custody: HSM A }
        api-spare: { file: keys/api-spare.csr, custody: HSM A }
      key-sets:
        public-web: { active: [api], backup: [api-spare] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    passing: Example(
      """
      version: 1
      keys:
        api: { file: keys/api.pem, custody: HSM A }
        api-spare: { file: keys/api-spare.csr, custody: "offline, safe in Bern" }
      key-sets:
        public-web: { active: [api], backup: [api-spare] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "RFC 7469 section 4.3; NIST SP 800-57 Part 1 Rev. 5, section 8.2.2.1",
    check: .policy(singleCustodians))
}

private func singleCustodians(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  return input.keySetsInUse.compactMap { use in
    // A public CA's key isn't in our custody, so an incident at our own places doesn't affect it.
    guard use.isWhole, use.active.count > 0, use.backup.count > 0, use.every.contains(.hasCustody) else { return nil }
    let set = policy.keySets[use.set]
    var custodians: Set<String> = []
    for member in set.members {
      guard let custody = policy.keys[member.key].custody else { return nil }
      custodians.insert(plain(custody.value))
    }
    guard custodians.count == 1, let custody = policy.keys[set.active[0].key].custody else { return nil }
    return Finding(
      at: set.place, "all keys of \(set.title) are in one custody, \(Wording.quoted(custody.value))",
      related: set.members.compactMap { member in
        policy.keys[member.key].custody.map {
          Diagnostic.Related("'\(policy.keys[member.key].name.value)'", at: $0.place)
        }
      },
      help: "Move the private half of a backup key to another holder or place, and say so in its 'custody:'.",
      severity: use.severity(.warning))
  }
}

/// The holder in lower case, without the slot of it that has the key: `HSM A, slot 3` is `hsm a`.
private func plain(_ text: String) -> String {
  var words = text.lowercased().split { $0.isWhitespace || $0 == "," }
  while let slot = words.firstIndex(where: { $0 == "slot" || $0 == "partition" }) {
    words.removeSubrange(slot..<min(slot + 2, words.count))
  }
  return words.joined(separator: " ")
}
