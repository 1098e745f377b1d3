import Diagnostics
import PinFormat

extension Rule {
  /// Serials that begin again while those who signed the high ones may still sign.
  static let restartKeepsSigners = Rule(
    code: "P709",
    name: "restart-keeps-signers",
    severity: .error,
    title: "Serials begin again, but the manifest that made this necessary is still accepted.",
    rationale: """
      Serials begin again after somebody with stolen keys signed a manifest with a serial so high that no release comes
      after it. That manifest still exists, and clients accept it in the new epoch, too, if enough of those who signed it
      may still sign. It has as many signatures as the old threshold required. If fewer signers than that are removed in
      the same version, one who remains has signed it as well, and you must find out whose key that was. If those who
      remain reach the new threshold with it, clients certainly accept it.
      """,
    failing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 2 \\
          --signer ci=ci.pub --signer dora=dora.pub --signer emil=emil.pub --threshold 2 \\
          --issued-at 2026-11-21 --expires 2027-11-21
      $ pintle keyset next 1.keyset.json -o 2.keyset.json \\
          --issued-at 2026-11-22 --expires 2027-11-21 --restart 58
      """),
    passing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 2 \\
          --signer ci=ci.pub --signer dora=dora.pub --signer emil=emil.pub --threshold 2 \\
          --issued-at 2026-11-21 --expires 2027-11-21
      $ pintle keyset next 1.keyset.json -o 2.keyset.json \\
          --issued-at 2026-11-22 --expires 2027-11-21 --restart 58 \\
          --remove-signer ci --add-signer ci-2=ci-2.pub --remove-signer dora --add-signer dora-2=dora-2.pub
      """),
    citation: "The Update Framework 1.0, section 5.3.11",
    isSuppressible: false,
    check: .keyset(restartsThatKeepSigners))
}

private func restartsThatKeepSigners(_ input: KeysetInput) -> [Finding] {
  guard let previous = input.previous, input.keyset.serialEpoch > previous.serialEpoch else { return [] }
  let before = signingKeys(of: previous)
  let kept = before.intersection(signingKeys(of: input.keyset)).count
  let (needed, stillNeeded) = (previous.signers.threshold, input.keyset.signers.threshold)
  // Whichever signers signed the previous keyset, at least this many are of signers that stay.
  let surely = needed - (before.count - kept)
  guard surely > 0, kept >= stillNeeded else { return [] }
  if surely >= stillNeeded {
    return [
      .ofKeyset(
        "serials begin again at \(input.keyset.minimumSerial), but \(kept) signers stay: any manifest that \(needed) of "
          + "the old signers signed can be brought back",
        help: "Remove the signers whose keys were stolen, in this version.")
    ]
  }
  return [
    .ofKeyset(
      "serials begin again at \(input.keyset.minimumSerial), and \(kept) signers stay: a manifest that \(needed) of the old "
        + "signers signed bears \(surely) of their signatures at least, and with \(stillNeeded) it can be brought back",
      help: "Check whose signatures it has, and remove everybody who signed it.", severity: .warning)
  ]
}

/// The public keys of those who sign manifests, whatever they are called.
private func signingKeys(of keyset: Keyset) -> Set<[UInt8]> {
  Set(keyset.signers.keys.compactMap { keyset.key($0)?.subjectPublicKeyInfo })
}
