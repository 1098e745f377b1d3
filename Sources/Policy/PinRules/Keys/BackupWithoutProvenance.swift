import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A backup of which nobody can say where its private half is.
  static let backupWithoutProvenance = Rule(
    code: "P323",
    name: "backup-without-provenance",
    severity: .warning,
    title: "A backup key says nothing about where it comes from.",
    rationale: """
      A backup can't be seen on any server, so nothing shows whether its private half exists. Many backup pins that were
      found in the field were made up, or nobody knew any more who had the key. A certificate request or certificate
      in the policy, a custodian, or the date on which the key was made helps a reviewer, and the person who has to use
      the key one night. The keys of known public CAs aren't reported.
      """,
    failing: Example(
      """
      version: 1
      keys:
        api: { file: keys/api.pem }
        api-spare: { pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w= }
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
        api: { file: keys/api.pem }
        api-spare:
          pin: sha256/GEYH9XD3Xin0HMvVEuOBbsiVEPdLmdyzSuOEvZYSE+w=
          custody: payments team, HSM B
          created: 2026-09-01
      key-sets:
        public-web: { active: [api], backup: [api-spare] }
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "RFC 7469 section 4.3 and appendix B",
    check: .policy(backupsWithoutProvenance))
}

private func backupsWithoutProvenance(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  var told: Set<Int> = []
  let uses = input.keySetsInUse.lazy.filter { $0.backup.some.isSuperset(of: [.hasPin, .hasNoProvenance]) }
  return uses.flatMap { use -> [Finding] in
    let set = policy.keySets[use.set]
    return set.backup.compactMap { member in
      guard input.keyFacts.traits[member.key].isSuperset(of: [.hasPin, .hasNoProvenance]),
        told.insert(member.key).inserted
      else { return nil }
      let key = policy.keys[member.key]
      // A public CA's key has its provenance in what is known of the CA.
      if let pin = key.pin, input.authorities.known[pin] != nil { return nil }
      return Finding(
        at: key.name.place, "backup key '\(key.name.value)' says neither where it is nor when it was made",
        related: [Diagnostic.Related("a backup of \(set.title)", at: member.place)],
        help: "Give its certificate request as 'file:', or say 'custody:' and 'created:'.")
    }
  }
}
