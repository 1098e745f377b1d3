import Diagnostics
import PinFormat

extension Rule {
  /// A keyset by which a manifest needs one signature.
  static let oneSignatureSuffices = Rule(
    code: "P702",
    name: "one-signature-suffices",
    severity: .warning,
    title: "One signature suffices for a manifest.",
    rationale: """
      A manifest can cut every client off or let an impostor in, so the holder of one key must not be able to sign one
      alone. With a threshold of one, a key that is stolen, or a person who is mistaken or forced, is enough; with two,
      the thief has a second key to find, and somebody reads what is signed. A threshold makes sure that the theft of
      one key isn't enough.
      """,
    failing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 2 \\
          --signer ci=ci.pub --signer dora=dora.pub --signer emil=emil.pub --threshold 1 \\
          --issued-at 2026-11-21 --expires 2027-11-21
      """),
    passing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 2 \\
          --signer ci=ci.pub --signer dora=dora.pub --signer emil=emil.pub --threshold 2 \\
          --issued-at 2026-11-21 --expires 2027-11-21
      """),
    citation: "The Update Framework 1.0, section 1.5.2",
    isSuppressible: false,
    check: .keyset(signersThatSuffice))
}

private func signersThatSuffice(_ input: KeysetInput) -> [Finding] {
  let role = input.keyset.signers
  guard role.threshold == 1 else { return [] }
  let who = role.keys.count == 1 ? "'\(role.keys[0])' alone" : "each of the \(role.keys.count) signers alone"
  return [
    .ofKeyset(
      "\(who) can sign a manifest that clients accept",
      help: "Require at least 2 signatures: --threshold 2" + (role.keys.count < 3 ? ", with 3 signers." : "."))
  ]
}
