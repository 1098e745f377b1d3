import Diagnostics
import PinFormat

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
