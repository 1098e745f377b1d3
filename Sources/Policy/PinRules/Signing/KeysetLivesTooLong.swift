import Diagnostics
import PinFormat

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
