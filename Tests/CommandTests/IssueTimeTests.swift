import TestSupport
import Testing

/// Clients take an issue time for the present, so nothing is made or signed with one that is more than a day ahead.
struct IssueTimeTests {
  /// `$issued` and `$at` are set; what is made goes to `out`.
  static let commands = [
    "pintle build policy -o out --unsigned --serial 1 --issued-at $issued $at",
    """
    pintle build policy -o draft --unsigned --serial 1 --issued-at $issued --at $issued &&
      pintle sign draft -o out --sign-key signing/release.key $at
    """,
    """
    pintle deny web policy -o out --reason 'it was stolen' --against last --key signing/release.key.pub \
      --issued-at $issued $at
    """,
    "$init -o out --issued-at $issued $at",
    "$init -o draft --issued-at $issued --at $issued && pintle sign draft -o out --sign-key people/alice.key $at",
    "pintle keyset next keyset -o out --expires $(day '200 days') --issued-at $issued $at",
  ]

  @Test(
    "is at most a day after the clock, or after a later --at; an earlier --at refuses nothing more, and allows nothing",
    arguments: commands)
  func issueTime(command: String) throws {
    let place = try Workplace()
    try place.write(
      """
      day() { date -u -d "$1" +%FT%TZ; }
      init="pintle keyset init --audience test --root alice=people/alice.pub --root-threshold 1 --expires $(day '300 days')
        --signer ci=people/ci.pub --threshold 1"
      """, to: "functions")
    try place.write(
      """
      . ./functions
      mkdir policy && cat >policy/policy.yaml <<END
      version: 1
      manifest: { audience: test, expires-after: 30d }
      keys:
        web: { pin: sha256/h1SCHP/2K0A3e0UJxPin2TcL4riuHX+abA+V2u4M1d4= }
        spare: { pin: sha256/fNrb2IiX0f3bPO57Ecp3sYcn0VkDdFYwirgiK0G1enE= }
        other: { pin: sha256/dpLDrTVAu4A8Ags67mbNiIcSMjTqDG5xQ8Ct1z/0Me0= }
      key-sets:
        web: { active: [web], backup: [spare, other] }
      hosts:
        - { host: example.com, keys: web }
      END
      pintle build policy -o last --sign-key signing/release.key --serial 1 --issued-at $(day '-5 days')
      $init -o keyset --issued-at $(day '-5 days') --sign-key people/alice.key
      """, to: "scene")
    let made = try place.run("sh -e scene")
    try #require(made.status == 0, "\(made.stderrText)")
    for (issued, at, isAllowed) in [
      ("2 days", nil, false), ("2 days", "-3 days", false), ("2 days", "12 hours", false), ("12 hours", nil, true),
      ("12 hours", "-3 days", true), ("2 days", "2 days", true),
    ] {
      let at = at.map { "--at $(day '\($0)')" } ?? ""
      let copy = try place.copy()
      let result = try copy.run(
        ". ./functions; issued=$(day '\(issued)') at=\"\(at)\"; \(command)")
      let text = "\(command): \(issued), \(at): \(result.stderrText)"
      #expect(result.status == (isAllowed ? 0 : 6), "\(text)")
      #expect(try copy.run("test -e out").status == (isAllowed ? 0 : 1), "\(text)")
      guard !isAllowed else { continue }
      #expect(result.stderrText.contains("is more than a day ahead of the current time"), "\(text)")
      #expect(result.stderrText.contains("to rehearse a later day, give it with --at"), "\(text)")
    }
  }
}
