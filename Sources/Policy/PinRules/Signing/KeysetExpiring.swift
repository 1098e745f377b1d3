import Diagnostics
import PinFormat

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
      help: "Make the next version: pintle keyset next.")
  ]
}
