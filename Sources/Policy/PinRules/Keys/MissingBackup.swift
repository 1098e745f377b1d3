import Diagnostics
import PinFormat
import PinPolicy

extension Rule {
  /// A set that hosts are checked against must name a key that no server uses yet.
  package static let missingBackup = Rule(
    code: "P313",
    name: "missing-backup",
    severity: .error,
    title: "A key set that hosts use has no backup key.",
    rationale: """
      When the only pinned keys are lost or stolen, every client that holds the manifest is locked out until it has a new
      one. A backup is a key that the manifest already names but no server presents: with it, a server can change keys
      at once. Keep its private half where a loss of the active key can't reach it.
      """,
    failing: Example(
      """
      version: 1
      keys:
        api: { file: keys/api.pem }
        example-root: { file: keys/example-root.pem }
      key-sets:
        public-web:
          active: [api, example-root]
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    passing: Example(
      """
      version: 1
      keys:
        api: { file: keys/api.pem }
        example-root: { file: keys/example-root.pem }
        api-spare: { file: keys/api-spare.csr, custody: HSM A }
      key-sets:
        public-web:
          active: [api, example-root]
          backup: [api-spare]
      hosts:
        - host: api.example.com
          keys: public-web
      """),
    citation: "RFC 7469 sections 2.5 and 4.3",
    check: .policy(missingBackups))
}

private func missingBackups(_ input: CheckInput) -> [Finding] {
  let policy = input.policy
  let uses = input.keySetsInUse.filter { $0.isWhole && $0.backup.count == 0 }
  let spare = uses.isEmpty ? [] : spareKeys(input)
  return uses.map { use in
    let set = policy.keySets[use.set]
    let isDenying = policy.keys.contains { $0.denied != nil }
    let urgent =
      " If a stolen key was denied and that can't wait, add '# pintle:allow P313 until DATE: REASON' to the line."
    return Finding(
      at: set.place, "\(set.title) has no backup key", related: use.related(in: policy),
      help: "Add a key that no server presents yet to 'backup:', and keep its private half in another place."
        + (isDenying ? urgent : ""),
      severity: use.severity(.error), fixes: backups(for: set, among: spare, input))
  }
}

/// Keys that the policy declares and no set names, the first few: perhaps somebody prepared one and forgot to add it.
private func spareKeys(_ input: CheckInput) -> [String] {
  let keys = input.policy.keys
  let spare = input.keyFacts.keys(with: .hasPin, without: [.isDenied, .isInSet])
  return spare.filter { keys[$0].status?.value != .retired }.prefix(3).map { keys[$0].name.value }
}

private func backups(for set: Policy.KeySet, among spare: [String], _ input: CheckInput) -> [Fix] {
  spare.flatMap { name -> [Fix] in
    let file = input.file(of: set.place)
    return .fix(
      "add '\(name)' as a backup", .suggested, file?.adding("backup", "[\(name)]", insideFieldAt: set.place))
  }
}
