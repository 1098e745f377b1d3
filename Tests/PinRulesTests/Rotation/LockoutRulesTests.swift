import PinFormat
import PinPolicy
import PinRotation
import Testing

@testable import PinRules
@testable import PinStudies

/// The rules that tell lockouts, at their edges.
///
/// The hosts begin on line 8, the keys of the first stand on line 10.
@Suite("Rules about lockouts")
struct LockoutRulesTests {
  static let removed: [RotationCorner] = [
    RotationCorner(
      "one finding for a set that many hosts use, which names the first three",
      .rotation(
        fleet("api-2027", "spare"), after: .rotation(6, on: "2026-05-01", fleet("api-2025", "api-2027, spare"))),
      ["P607 note 2", "P611 error 2", "P601 error 9"],
      saying:
        "may still be presented by 'a.example.com:443', 'b.example.com:443', 'c.example.com:443' or 2 more, and this "
        + "policy no longer pins it", "Keep 'api-2025' in key set 'web' until the servers have changed"),
    RotationCorner(
      "a release that is planned, while the key is listed as active",
      .rotation(
        RotationLines.api("api-2025", backup: "api-2027, spare"), keys: ["api-2025": "steps: { retired: 2027-03-01 }"],
        after: .rotation(6, on: "2026-11-01", RotationLines.api("api-2025", backup: "api-2027, spare"))),
      ["P601 error 10"],
      saying: "the release planned for 2027-03-01T00:00:00Z no longer pins it",
      "the release planned for 2027-03-01T00:00:00Z 2027-03-01T00:00:00Z blocked"),
    RotationCorner(
      "the window of the successor isn't over: until when to keep the old key",
      .rotation(
        RotationLines.api("api-2027", backup: "spare"),
        after: .rotation(5, on: "2026-10-01", RotationLines.api("api-2025", backup: "spare")),
        .rotation(6, on: "2026-11-01", RotationLines.api("api-2025", backup: "api-2027, spare"))),
      ["P603 error 10", "P604 error 10"],
      saying: "Keep 'api-2025' until 2027-01-30T00:00:00Z, when every client has 'api-2027'"),
    RotationCorner(
      "a served key of each set: nobody is locked out, and still no other chain would do",
      evidence(
        "  ca-1: { file: keys/example-intermediate.pem, position: intermediate }\n"
          + RotationLines.api("ca-1", backup: "api-2025"),
        after: "  ca-1: { file: keys/example-intermediate.pem, position: intermediate }\n"
          + RotationLines.api("root", backup: "spare")),
      ["P612 warning 7", "P602 warning 11"], saying: "only a chain with a key of each is accepted by all of them",
      "serial 6 2026-11-22T00:00:00Z blocked"),
  ]

  static let early: [RotationCorner] = [
    RotationCorner(
      "a planned step before the window has passed",
      .rotation(
        RotationLines.api("api-2025", backup: "api-2027, spare"), keys: ["api-2027": "steps: { active: 2027-02-18 }"],
        after: .rotation(6, on: "2026-11-01", RotationLines.api("api-2025", backup: "spare"))),
      ["P604 error 5"],
      saying:
        "'api-2027' will be presented by 'api.example.com:443' from 2027-02-18T00:00:00Z on, and clients of serial 6 "
        + "don't have it", "Have the servers present 'api-2027' from 2027-02-19T00:00:00Z on",
      "serial 6 2027-02-18T00:00:00Z blocked"),
    RotationCorner(
      "the same on the very day on which it has",
      .rotation(
        RotationLines.api("api-2025", backup: "api-2027, spare"), keys: ["api-2027": "steps: { active: 2027-02-19 }"],
        after: .rotation(6, on: "2026-11-01", RotationLines.api("api-2025", backup: "spare")))),
    RotationCorner(
      "listed as active as it is published: two releases lack it",
      .rotation(
        RotationLines.api("api-2027", backup: "api-2025, spare"),
        after: .rotation(5, on: "2026-10-01", RotationLines.api("api-2025", backup: "root")),
        .rotation(6, on: "2026-11-01", RotationLines.api("api-2025", backup: "spare"))),
      ["P612 warning 4", "P604 error 10"],
      saying: "clients of serial 5 and serial 6 don't have it",
      "List 'api-2027' under 'backup:' until 2027-02-19T00:00:00Z"),
    RotationCorner(
      "listed as active too soon after it was published as a backup",
      .rotation(
        RotationLines.api("api-2027", backup: "api-2025, spare"),
        after: .rotation(5, on: "2026-10-01", RotationLines.api("api-2025", backup: "spare")),
        .rotation(6, on: "2026-11-01", RotationLines.api("api-2025", backup: "api-2027, spare"))),
      ["P604 error 10"], saying: "clients of serial 5 don't have it",
      "Keep 'api-2027' under 'backup:' until 2027-01-30T00:00:00Z"),
  ]

  static let others: [RotationCorner] = [
    RotationCorner(
      "pins are enforced for the first time, and not met",
      evidence(
        RotationLines.api("api-2027", backup: "spare", "mode: report-only"),
        after: RotationLines.api("api-2027", backup: "spare")),
      ["P613 error 9"], saying: "pins are enforced there for the first time",
      "Keep it in 'mode: report-only'"),
    RotationCorner(
      "a removed host where such hosts are denied",
      .rotation(
        Example.entries("a.example.com"),
        after: .released(Example.entries("a.example.com", "b.example.com"))
      ).denying,
      ["P605 warning 2", "P613 error 2"], saying: "clients of this policy are locked out of 'b.example.com:443'"),
    RotationCorner(
      "clients of a release of the past, until the last of them is gone",
      .rotation(
        RotationLines.api("api-2027", backup: "spare"),
        after: .rotation(5, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare")),
        .rotation(6, on: "2026-11-01", RotationLines.api("api-2027", backup: "spare"))),
      ["P614 warning 10"], saying: "already", "the last one by 2027-01-30T00:00:00Z"),
    RotationCorner(
      "the release accepts what the server presents, and removes what it may have presented a moment ago",
      evidence(RotationLines.api("api-2027", backup: "spare"), after: RotationLines.api("api-2025", backup: "spare")),
      ["P614 warning 10"],
      saying: "This release also fixes it", "clients that matched 'api-2027' within the last day reject it"),
    RotationCorner(
      "the same without removing it",
      evidence(
        RotationLines.api("api-2027", backup: "spare"), after: RotationLines.api("api-2025, api-2027", backup: "spare")),
      ["P614 warning 10"], saying: "This release also fixes it",
      withoutSaying: "within the last day"),
    RotationCorner(
      "one key is asked for in place of two, and servers may go on presenting both",
      .rotation(
        RotationLines.api("api-2025, root", backup: "spare"),
        after: .rotation(
          6, on: "2026-11-01", RotationLines.api("api-2025, root", backup: "spare", "require: leaf-and-ca"))),
      ["P612 warning 7", "P606 warning 9", "P614 warning 10"],
      saying: "clients of serial 6 may be locked out of 'api.example.com:443'"),
    RotationCorner(
      "an entry of the newest release that runs out before its clients have the next",
      .rotation(
        RotationLines.api("api-2025", backup: "spare", "expires: 2027-11-01", "on-expiry: block"),
        after: .released(
          RotationLines.api("api-2025", backup: "spare", "expires: 2026-12-01", "on-expiry: block"))),
      ["P614 warning 11"], saying: "from 2026-12-01T00:00:00Z on, with any release"),
  ]

  @Test(arguments: removed + early + others)
  func lockouts(_ corner: RotationCorner) throws { try corner.expect() }

  @Test("a suppression with a reason and a date accepts a lockout, and it stays visible")
  func suppressed() throws {
    let lines = RotationLines.api("api-2027", backup: "spare").split(separator: "\n").map(String.init)
    let comment = "  # pintle:allow P603, P604 until 2027-01-01: the old server is switched off with this release"
    let text = lines.map { $0.contains("keys:") ? $0 + comment : $0 }.joined(separator: "\n")
    let released = [
      Example.Released.rotation(5, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare")),
      .rotation(6, on: "2026-11-01", RotationLines.api("api-2025", backup: "api-2027, spare")),
    ]
    let check = try RotationCheck(.rotation(text, after: released[0], released[1]))
    #expect(check.findings == [])
    #expect(check.suppressed.contains("P603"))
    var late = Example.rotation(text, after: released[0], released[1])
    late.instant = Instant(secondsSinceEpoch: 1_798_761_600)  // 2027-01-01T00:00:00Z
    #expect(try RotationCheck(late).findings.contains("P603 error 10"))
  }

  private static func fleet(_ active: String, _ backup: String) -> String {
    let hosts = ["a", "b", "c", "d", "e"].map { "  - { host: \($0).example.com, keys: web }" }
    return (["key-sets:", "  web: { active: [\(active)], backup: [\(backup)] }", "hosts:"] + hosts)
      .joined(separator: "\n")
  }

  /// What a server with the chain leaf, intermediate and root shows, half a day later.
  private static func evidence(_ before: String, after lines: String) -> Example {
    var example = Example.rotation(lines, after: .released(before))
    example.instant = Instant(secondsSinceEpoch: 1_795_305_600)  // 2026-11-22T00:00:00Z
    example.observed = Example.Observed("whole-chain", "The whole chain is served.")
    return example
  }
}

extension Example {
  /// The same where the policy denies hosts that aren't pinned.
  fileprivate var denying: Example {
    var example = self
    let text = files[0].text.replacing("client-max-age: 90d", with: "client-max-age: 90d, unpinned-hosts: deny")
    example.files = [File(path: "policy.yaml", text: text)]
    return example
  }
}
