import Diagnostics
import PinFormat

extension Rule {
  /// A keyset all of whose signers are needed.
  static let noSpareSigner = Rule(
    code: "P705",
    name: "no-spare-signer",
    severity: .note,
    title: "Every signer is needed, so the loss of one signer's key stops releases.",
    rationale: """
      Until the roots have signed a keyset with another signer, nothing can be released, and manifests go stale in the
      meantime. With a spare signer, nothing has to wait.
      """,
    failing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 2 \\
          --signer ci=ci.pub --signer dora=dora.pub --threshold 2 \\
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
    check: .keyset(signersWithoutSpare))
}

private func signersWithoutSpare(_ input: KeysetInput) -> [Finding] {
  let role = input.keyset.signers
  guard role.threshold == role.keys.count else { return [] }
  let all =
    ["there is only one signer", "both signers must sign a manifest"].dropFirst(role.keys.count - 1).first
    ?? "all \(role.keys.count) signers must sign a manifest"
  return [
    .ofKeyset(
      "\(all): if a key is lost, nothing can be released until the roots have signed a new keyset",
      help: "Add a signer whose key is kept elsewhere.")
  ]
}
