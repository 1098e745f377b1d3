package import Diagnostics
import PinFormat
import PinRelease

extension Rule {
  /// A private signing key that others may read.
  static let signingKeyReadable = Rule(
    code: "P701",
    name: "signing-key-readable",
    severity: .warning,
    title: "A signing key's file can be read by others.",
    rationale: """
      Anybody who can read the private key can sign manifests that clients accept, and so decide which servers they trust.
      `pintle key` makes the file readable by its owner only; a copy, an archive or a checkout may have changed that.
      """,
    failing: Example([
      Example.File(
        path: "terminal.txt",
        text: """
          $ ls -l release.key
          -rw-r--r-- 1 release release 119 Nov 21 09:00 release.key
          """)
    ]),
    passing: Example([
      Example.File(
        path: "terminal.txt",
        text: """
          $ ls -l release.key
          -rw------- 1 release release 119 Nov 21 09:00 release.key
          """)
    ]),
    citation: "NIST SP 800-57 Part 1 Rev. 5, section 6.2.2",
    check: .elsewhere)

  /// What the rule says of a signing key's file.
  ///
  /// The finding is in the key file itself, at its beginning. The file is in the sources by its path only: not even
  /// an excerpt may show what it holds.
  ///
  /// - Parameters:
  ///   - path: The file, as it was named.
  ///   - permissions: The permission bits of the file's mode (`st_mode & 0o777`).
  /// - Returns: The finding and the sources that it points into, or nil where only the owner may read the file.
  package static func signingKeyFinding(path: String, permissions: UInt32) -> (Diagnostic, SourceSet)? {
    guard permissions & 0o077 != 0 else { return nil }
    let start = Position(line: 1, column: 1)
    let finding = Finding(
      at: Place(file: FileID(0), start: start, end: start),
      "signing key '\(path)' can be read or changed by others (mode \(octal(permissions)))",
      help: "Run 'chmod 600' on it; if others may have read it already, make a new key and withdraw this one.")
    return (signingKeyReadable.diagnostic(finding), SourceSet([SourceSet.File(path: path, bytes: [])]))
  }

  private static func octal(_ permissions: UInt32) -> String {
    "0" + String(permissions & 0o777, radix: 8)
  }
}

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

extension Rule {
  /// A keyset that expires within a month, or has.
  static let keysetExpiring = Rule(
    code: "P707",
    name: "keyset-expiring",
    severity: .warning,
    title: "A keyset has expired or expires within 30 days.",
    rationale: """
      From its expiry on, clients accept no further manifest with a keyset; what is in force stays until it is stale. The
      next version needs the signatures of several people, with keys in safes, so begin in time. A version that has
      expired when it is signed is an error: no release could use it.
      """,
    failing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 2 \\
          --signer ci=ci.pub --signer dora=dora.pub --signer emil=emil.pub --threshold 2 \\
          --issued-at 2026-01-01 --expires 2026-12-01
      """),
    passing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 2 \\
          --signer ci=ci.pub --signer dora=dora.pub --signer emil=emil.pub --threshold 2 \\
          --issued-at 2026-01-01 --expires 2027-01-01
      """),
    citation: "The Update Framework 1.0, section 5.3.10",
    isSuppressible: false,
    check: .keyset(expiringKeyset))
}

/// How long before its expiry a keyset is reported to expire soon: 30 days.
private let notice: Int64 = 30 * 86_400

private func expiringKeyset(_ input: KeysetInput) -> [Finding] {
  let expires = input.keyset.expires
  guard expires < input.instant.adding(seconds: notice) else { return [] }
  if expires <= input.instant {
    return [
      .ofKeyset(
        "version \(input.keyset.version) expired at \(expires)",
        help: "Make a version with a later --expires.", severity: .error)
    ]
  }
  let left = Wording.duration(expires.seconds(since: input.instant))
  return [
    .ofKeyset(
      "version \(input.keyset.version) expires at \(expires), \(left) from now",
      help: "Make the next version: \(KeysetDraft.next(after: input.path)).")
  ]
}

extension Rule {
  /// A keyset that lives for longer than a year and a bit.
  static let keysetLivesTooLong = Rule(
    code: "P708",
    name: "keyset-lives-too-long",
    severity: .warning,
    title: "A keyset lives for more than 400 days.",
    rationale: """
      An attacker who can withhold the next versions from a client keeps it at its own, with signers who have been revoked
      since; the expiry ends that. It also makes sure that the roots sign regularly, so that a lost root key is noticed
      while there are enough others.
      """,
    failing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 2 \\
          --signer ci=ci.pub --signer dora=dora.pub --signer emil=emil.pub --threshold 2 \\
          --issued-at 2026-11-21 --expires 2030-01-01
      """),
    passing: .keyset(
      """
      $ pintle keyset init -o 1.keyset.json --audience production \\
          --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub --root-threshold 2 \\
          --signer ci=ci.pub --signer dora=dora.pub --signer emil=emil.pub --threshold 2 \\
          --issued-at 2026-11-21 --expires 2027-11-21
      """),
    citation: "NIST SP 800-57 Part 1 Rev. 5, section 5.3.6",
    isSuppressible: false,
    check: .keyset(keysetsThatLiveTooLong))
}

/// The longest life that isn't warned of: 400 days, a year and a month for those who are late.
private let longestLife: Int64 = 400 * 86_400

private func keysetsThatLiveTooLong(_ input: KeysetInput) -> [Finding] {
  let life = input.keyset.expires.seconds(since: input.keyset.issued)
  guard life > longestLife else { return [] }
  return [
    .ofKeyset(
      "version \(input.keyset.version) lives for \(Wording.duration(life)), more than \(Wording.duration(longestLife))",
      help: "Choose an --expires up to \(input.keyset.issued.adding(seconds: longestLife)), and renew it in time.")
  ]
}

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
