import Diagnostics
import PinFormat

extension Rule {
  /// A keyset whose next version needs one signature.
  static let oneRootSuffices = Rule(
    code: "P703",
    name: "one-root-suffices",
    severity: .warning,
    title: "One root's signature suffices for a keyset.",
    rationale: """
      Roots say who may sign manifests. With one key a thief can sign a keyset that names other signers and removes
      yours, on every client, and no later keyset of yours can change that: clients then follow the thief's. A new client
      is the only way out.
      """,
    failing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 1 \\
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
    citation: "The Update Framework 1.0, section 2.1.1",
    isSuppressible: false,
    check: .keyset(rootsThatSuffice))
}

private func rootsThatSuffice(_ input: KeysetInput) -> [Finding] {
  let role = input.keyset.roots
  guard role.threshold == 1 else { return [] }
  let who = role.keys.count == 1 ? "'\(role.keys[0])' alone" : "each of the \(role.keys.count) roots alone"
  return [
    .ofKeyset(
      "\(who) can sign the next keyset, and so say who signs manifests",
      help: "Require at least 2 roots: --root-threshold 2" + (role.keys.count < 3 ? ", with 3 roots." : "."))
  ]
}
