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

extension Rule {
  /// A version that asks for fewer signatures than the one before.
  static let thresholdLowered = Rule(
    code: "P710",
    name: "threshold-lowered",
    severity: .warning,
    title: "A version of a keyset requires fewer signatures than the one before.",
    rationale: """
      An attacker who wants to sign alone some day begins by lowering the threshold. There are good reasons as well, such as a
      signer who left with nobody in their place, so this is shown to everybody who signs the version.
      """,
    failing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 2 \\
          --signer ci=ci.pub --signer dora=dora.pub --signer emil=emil.pub --threshold 2 \\
          --issued-at 2026-11-21 --expires 2027-11-21
      $ pintle keyset next 1.keyset.json --revoke emil -o 2.keyset.json --threshold 1 \\
          --issued-at 2026-11-22 --expires 2027-11-21
      """),
    passing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 2 \\
          --signer ci=ci.pub --signer dora=dora.pub --signer emil=emil.pub --threshold 2 \\
          --issued-at 2026-11-21 --expires 2027-11-21
      $ pintle keyset next 1.keyset.json --revoke emil --add frank=frank.pub -o 2.keyset.json \\
          --issued-at 2026-11-22 --expires 2027-11-21
      """),
    citation: "The Update Framework 1.0, section 1.5.2",
    isSuppressible: false,
    check: .keyset(loweredThresholds))
}

private func loweredThresholds(_ input: KeysetInput) -> [Finding] {
  guard let previous = input.previous else { return [] }
  func finding(_ what: String, _ before: Keyset.Role, _ after: Keyset.Role, _ option: String) -> Finding? {
    guard after.threshold < before.threshold else { return nil }
    return .ofKeyset(
      "\(what) would need \(after.threshold) signature\(after.threshold == 1 ? "" : "s"), before: \(before.threshold)",
      help: "Replace a key that is removed, or say in the review why fewer are enough (\(option)).")
  }
  let (before, after) = (previous, input.keyset)
  return [
    finding("manifests", before.signers, after.signers, "--threshold"),
    finding("keysets", before.roots, after.roots, "--root-threshold"),
  ].compactMap(\.self)
}
