import Diagnostics
import PinFormat

extension Rule {
  /// A keyset with a key in both roles.
  static let rootSignsManifests = Rule(
    code: "P706",
    name: "root-signs-manifests",
    severity: .warning,
    title: "A root key signs manifests as well.",
    rationale: """
      A key that signs every release is used every day, online or by a person who signs often. If it is stolen, the roots
      revoke it, so their keys are kept away from daily work, offline, and used a few times a year. If one key has both
      roles, the theft of a signer is the theft of a root.
      """,
    failing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 2 \\
          --signer alice=alice.pub --signer dora=dora.pub --signer emil=emil.pub --threshold 2 \\
          --issued-at 2026-11-21 --expires 2027-11-21
      """),
    passing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 2 \\
          --signer ci=ci.pub --signer dora=dora.pub --signer emil=emil.pub --threshold 2 \\
          --issued-at 2026-11-21 --expires 2027-11-21
      """),
    citation: "NIST SP 800-57 Part 1 Rev. 5, section 5.2",
    isSuppressible: false,
    check: .keyset(keysWithBothRoles))
}

private func keysWithBothRoles(_ input: KeysetInput) -> [Finding] {
  let both = input.keyset.roots.keys.filter(input.keyset.signers.keys.contains)
  guard !both.isEmpty else { return [] }
  let names = both.map { "'\($0)'" }.joined(separator: ", ")
  return [
    .ofKeyset(
      "\(names) \(both.count == 1 ? "signs" : "sign") keysets and manifests",
      help: "Give each role its own keys, and keep the roots' keys offline.")
  ]
}
