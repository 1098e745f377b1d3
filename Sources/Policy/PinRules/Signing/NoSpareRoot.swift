import Diagnostics
import PinFormat

extension Rule {
  /// A keyset all of whose roots are needed.
  static let noSpareRoot = Rule(
    code: "P704",
    name: "no-spare-root",
    severity: .warning,
    title: "Every root is needed, so the loss of one root key ends rotation.",
    rationale: """
      The next version needs as many roots of this one as its threshold says. If that is all of them and one key is lost, no
      next version can ever be signed: the signers can't change, the keyset expires, and only a new client helps.
      """,
    failing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root-threshold 2 \\
          --signer ci=ci.pub --signer dora=dora.pub --signer emil=emil.pub --threshold 2 \\
          --issued-at 2026-11-21 --expires 2027-11-21
      """),
    passing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 2 \\
          --signer ci=ci.pub --signer dora=dora.pub --signer emil=emil.pub --threshold 2 \\
          --issued-at 2026-11-21 --expires 2027-11-21
      """),
    citation: "NIST SP 800-57 Part 1 Rev. 5, section 8.2.2",
    isSuppressible: false,
    check: .keyset(rootsWithoutSpare))
}

private func rootsWithoutSpare(_ input: KeysetInput) -> [Finding] {
  let role = input.keyset.roots
  guard role.threshold == role.keys.count else { return [] }
  let all =
    ["there is only one root", "both roots must sign a keyset"].dropFirst(role.keys.count - 1).first
    ?? "all \(role.keys.count) roots must sign a keyset"
  return [
    .ofKeyset(
      "\(all): if a key is lost, there can be no next version",
      help: "Add a root whose key is kept elsewhere, in this version: later it may be too late.")
  ]
}
