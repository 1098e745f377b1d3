import PinFormat
import PinPolicy
import Testing

@testable import PinRules
@testable import PinStudies

/// The rules about a release as a whole and about the lives of keys, at their edges.
@Suite("Rules about releases and keys")
struct ReleaseRulesTests {
  @Test("many hosts that change at once are an error, a note where it is meant, and one alone isn't many")
  func massChange() throws {
    let all = ["a.example.com", "b.example.com", "c.example.com", "d.example.com", "e.example.com"]
    let before = Example.Released.released(Example.entries(all))
    let words = "2 of 5 hosts, 40 %, would change at once: 2 removed"
    let shrunk = Example.rotation(Example.entries(Array(all.dropLast(2))), after: before)
    try RotationCorner("", shrunk, ["P605 warning 2", "P611 error 2"], saying: words, "pass --allow-mass-change")
      .expect()
    try RotationCorner("", shrunk, ["P605 warning 2", "P611 note 2"], saying: words).expect(allowsMassChange: true)
    let one = Example.rotation(
      Example.entries(Array(all.prefix(2).dropLast())), after: .released(Example.entries(Array(all.prefix(2)))))
    try RotationCorner("", one, ["P605 warning 2"]).expect()
    let grown = Example.rotation(Example.entries(all), after: .released(Example.entries(Array(all.prefix(3)))))
    try RotationCorner("", grown, ["P621 warning 12"]).expect()
  }

  /// Five hosts that share a set: what is done to all of them at once, and the result.
  struct Change: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var before = "keys: web"
    var set = "active: [api-2025], backup: [spare]"
    var now = "keys: web"
    /// The findings about the release as a whole and about added keys.
    var findings: [String] = []
  }

  @Test(
    "what takes nothing away isn't many, and a key that is added to many is named",
    arguments: [
      Change(
        testDescription: "a backup added", set: "active: [api-2025], backup: [spare, api-2027]",
        findings: ["P617 warning 5"]),
      Change(
        testDescription: "an active key added", set: "active: [api-2025, api-2027], backup: [spare]",
        findings: ["P617 warning 5"]),
      Change(testDescription: "a backup promoted", set: "active: [spare], backup: [api-2025]"),
      Change(testDescription: "another report URI", now: "keys: web, report-uris: [https://pins.example.org/r]"),
      Change(
        testDescription: "a later expiry", before: "keys: web, expires: 2027-03-01, on-expiry: enforce",
        now: "keys: web, expires: 2027-06-01, on-expiry: enforce"),
      Change(testDescription: "another name for the set", now: "keys: { active: [api-2025], backup: [spare] }"),
      Change(
        testDescription: "a backup replaced", set: "active: [api-2025], backup: [api-2027]",
        findings: ["P611 error 2", "P617 warning 5"]),
      Change(
        testDescription: "a backup dropped where mismatches are only reported",
        before: "keys: { active: [api-2025], backup: [spare, api-2027] }, mode: report-only",
        now: "keys: web, mode: report-only", findings: ["P611 error 2"]),
      Change(testDescription: "enforced at last", before: "keys: web, mode: report-only", findings: ["P611 error 2"]),
      Change(testDescription: "taken back to a trial", now: "keys: web, mode: report-only", findings: ["P611 error 2"]),
      Change(
        testDescription: "an expiry that comes sooner and blocks",
        before: "keys: web, expires: 2027-11-01, on-expiry: block",
        now: "keys: web, expires: 2027-10-01, on-expiry: block", findings: ["P611 error 2"]),
    ])
  func manyHosts(_ change: Change) throws {
    func lines(_ set: String, _ fields: String) -> String {
      (["key-sets:", "  web: { \(set) }", "hosts:"]
        + ["a", "b", "c", "d", "e"].map { "  - { host: \($0).example.com, \(fields) }" }).joined(separator: "\n")
    }
    let example = Example.rotation(
      lines(change.set, change.now),
      after: .released(lines("active: [api-2025], backup: [spare]", change.before)))
    let check = try RotationCheck(example)
    let found = check.findings.filter { $0.hasPrefix("P611") || $0.hasPrefix("P617") }
    #expect(found == change.findings, "\(check.text)")
  }

  @Test(
    "entries enforced after a trial are many, except those whose servers are accepted in the evidence",
    arguments: [
      (nil, "api-2025", true), ("whole-chain", "api-2025", false), ("whole-chain", "api-2027", true),
    ])
  func enforcedAfterTrial(evidence: String?, active: String, isMany: Bool) throws {
    func lines(_ mode: String) -> String {
      (["key-sets:", "  web: { active: [\(active)], backup: [spare] }", "hosts:"]
        + ["a", "api"].map { "  - { host: \($0).example.com, keys: web, mode: \(mode) }" }
        + ["  - { host: b.example.com, keys: web }"]).joined(separator: "\n")
    }
    var example = Example.rotation(lines("enforce"), after: .released(lines("report-only")))
    example.instant = Instant(secondsSinceEpoch: 1_795_305_600)  // 2026-11-22T00:00:00Z
    example.observed = evidence.map { Example.Observed($0, "The whole chain is served.") }
    let check = try RotationCheck(example)
    #expect(check.findings.contains("P611 error 2") == isMany, "\(check.text)")
    #expect(check.findings.contains { $0.hasPrefix("P613") } == (active == "api-2027"), "\(check.text)")
  }

  /// A key is counted once for each entry that clients know, by whichever entry a name comes to accept it.
  @Test("a key that reaches hosts by new entries in front of old ones is counted by the old ones")
  func addedByNewEntries() throws {
    func wide(_ number: Int) -> String { "\(["a", "b", "c"][number]).example, include-subdomains: true" }
    func lines(_ more: [String]) -> String {
      Example.entries((0..<3).map(wide))
        + more.map { "\n  - { host: \($0), keys: { active: [api-2025, api-2027], backup: [spare] } }" }.joined()
    }
    let released = Example.Released.released(lines([]))
    let one = try RotationCheck(.rotation(lines(["x.a.example", "y.a.example", "z.a.example"]), after: released))
    #expect(!one.findings.contains { $0.hasPrefix("P617") }, "\(one.text)")
    let two = try RotationCheck(.rotation(lines(["x.a.example", "y.b.example"]), after: released))
    #expect(two.findings.contains("P617 warning 5"), "\(two.text)")
    #expect(two.text.contains("'api-2027' is added to 2 of 3 hosts, 66 %: 'a.example' and 'b.example'"))
  }

  /// What the policy says about its clients and about the key, and the finding about its denial.
  @Test(
    "clients that can't enforce a new denial are listed before the release",
    arguments: [
      ("", "root", ["P618 note 7"]), ("clients: [leaf-only]", "root", ["P618 warning 7"]),
      ("clients: [full-chain, leaf-only]", "root", ["P618 warning 7"]), ("clients: [full-chain]", "root", []),
      ("clients: [leaf-only]", "api-2027", []),
    ])
  func newDenials(clients: String, key: String, findings: [String]) throws {
    let lines = RotationLines.api("api-2025", backup: "spare")
    var example = Example.rotation(lines, keys: [key: "denied: lost"], after: .released(lines))
    if !clients.isEmpty {
      let text = example.files[0].text.replacing("client-max-age: 90d", with: "client-max-age: 90d, " + clients)
      example.files = [Example.File(path: "policy.yaml", text: text)]
    }
    let check = try RotationCheck(example)
    #expect(check.findings.filter { $0.hasPrefix("P618") } == findings, "\(check.text)")
    // A manifest that was released before isn't new.
    var again = example
    again.released = [
      Example.Released(serial: 6, issued: example.released[0].issued, example.files)
    ]
    #expect(try !RotationCheck(again).findings.contains { $0.hasPrefix("P618") })
  }

  @Test("the limit of the blast radius is the policy's")
  func blastRadius() throws {
    let released = Example.Released.released(RotationLines.api("api-2025", backup: "spare"))
    let lines = RotationLines.api("api-2025", backup: "api-2027")
    try RotationCorner(
      "", .rotation(lines, after: released), ["P612 warning 4"],
      saying: "losing 'api-2025' locks clients out of 1 of 1 server, 100 %, where the limit is 20 %",
      "every client has it by 2027-02-19T00:00:00Z", "serial 6 2026-11-21T00:00:00Z blocked"
    ).expect()
    var limited = Example.rotation(lines, after: released)
    let setting = "client-max-age: 90d, limits: { max-blast-radius: 100% }"
    limited.files = [
      Example.File(path: "policy.yaml", text: limited.files[0].text.replacing("client-max-age: 90d", with: setting))
    ]
    try RotationCorner("", limited).expect()
    // A host that clients begin to block because it has no pins isn't one that the loss spares.
    let isOff = "\n  - { host: off.example.com, mode: off, reason: closed down }"
    var half = Example.rotation(
      lines + isOff, after: .released(RotationLines.api("api-2025", backup: "spare") + isOff))
    let halves = "client-max-age: 90d, limits: { max-blast-radius: 50% }, unpinned-hosts: deny"
    half.files = [
      Example.File(path: "policy.yaml", text: half.files[0].text.replacing("client-max-age: 90d", with: halves))
    ]
    let found = try RotationCheck(half)
    #expect(found.findings.contains { $0.hasPrefix("P613 error") }, "\(found.text)")
    #expect(found.text.contains("locks clients out of 1 of 1 server, 100 %, where the limit is 50 %"))
  }

  @Test("a release out of order can't be suppressed")
  func outOfOrder() throws {
    var example = Example.rotation(
      RotationLines.api("api-2025", backup: "spare"),
      after: .rotation(6, on: "2026-12-01", RotationLines.api("api-2025", backup: "spare")))
    let comment = "client-max-age: 90d }  # pintle:allow P610 until 2027-01-01: nobody looks at dates"
    example.files = [
      Example.File(path: "policy.yaml", text: example.files[0].text.replacing("client-max-age: 90d }", with: comment))
    ]
    #expect(try RotationCheck(example).findings == ["P610 error 2"])
  }

  static let lives: [RotationCorner] = [
    life(
      "announced, and in the policy's set", "status: planned", backup: "spare", released: "api-2027",
      "'spare' is said to be 'planned', and the key set of 'api.example.com' lists it", at: 6),
    life(
      "published, and in no set", "status: published", backup: "api-2027", released: "api-2027",
      "'spare' is said to be 'published', and no key set that a host uses lists it", at: 6),
    life("retired, and in a set", "status: retired", backup: "spare", released: "spare", "lists it", at: 6),
    life(
      "published as it says", "status: published, steps: { published: 2026-11-01 }", backup: "spare", released: "spare"),
    life(
      "steps out of order", "steps: { active: 2027-04-01, retiring: 2027-03-01 }", backup: "spare", released: "spare",
      "the step 'retiring' of 'spare' is dated 2027-03-01T00:00:00Z, before 'active' at 2027-04-01T00:00:00Z", at: 6),
    life(
      "a step that should have been taken", "status: published, steps: { active: 2026-11-10 }", backup: "spare",
      released: "spare", "its status still is 'published'", at: 6),
    life(
      "a step that is ahead, of a status that is reached", "status: active, steps: { active: 2027-11-01 }",
      backup: "spare", released: "spare", "its status is 'active' already", at: 6),
    life(
      "published by date, and in no release", "steps: { published: 2026-11-19 }", backup: "spare",
      released: "api-2027", "the newest release doesn't have it", at: 6),
    life(
      "published by date today", "steps: { published: 2026-11-20T12:00:00Z }", backup: "spare", released: "api-2027"),
  ]

  @Test(arguments: lives)
  func keyLives(_ corner: RotationCorner) throws {
    let check = try RotationCheck(corner.example)
    #expect(check.findings.filter { $0.hasPrefix("P616") } == corner.findings, "\(check.text)")
    for words in corner.saying { #expect(check.text.contains(words), "\(check.text)") }
  }

  /// The key `spare` with what the policy says of it, in the sets of now and before.
  private static func life(
    _ description: String, _ fields: String, backup: String, released: String, _ saying: String? = nil,
    at line: Int? = nil
  ) -> RotationCorner {
    var corner = RotationCorner(
      description,
      .rotation(
        RotationLines.api("api-2025", backup: backup), keys: ["spare": fields],
        after: .released(RotationLines.api("api-2025", backup: released))),
      line.map { ["P616 warning \($0)"] } ?? [])
    corner.saying = saying.map { [$0] } ?? []
    return corner
  }
}
