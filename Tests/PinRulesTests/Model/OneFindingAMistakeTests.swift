import Diagnostics
import PinRules
import Testing

/// One mistake is one finding: rules about what is missing stay silent about what could not be read.
struct OneFindingAMistakeTests {
  private static let head = """
    version: 1
    keys:
      example-root: { file: keys/example-root.pem }
      api-spare: { file: keys/api-spare.csr }
    key-sets:
      public-web: { active: [example-root], backup: [api-spare] }
    hosts:
      - host: example.com
        include-subdomains: true
        keys: public-web
        expires: 2027-06-01
        on-expiry: block

    """

  /// Codes about the shape of an entry, and about what it lacks.
  private static let codes: Set<String> = ["P105", "P106", "P108", "P109", "P206", "P211", "P302", "P401", "P402"]

  private static func findings(_ entry: String) throws -> [String] {
    try ExampleCheck(head + entry).diagnostics.map(\.code).filter(codes.contains)
  }

  @Test(arguments: [
    (fields: "expires: 2027-06-31", codes: ["P109"]),
    (fields: "expires: [2027-06-01]", codes: ["P108"]),
    (fields: "expires: 2027-06-01\n    on-expiry: relax", codes: ["P109"]),
    (fields: "expires: 2027-06-01\n    on-expiry: block\n    port: 0", codes: ["P109"]),
    (fields: "expires: 2027-06-01\n    on-expiry: block\n    keys: [public-web]", codes: ["P106"]),
    (fields: "expirse: 2027-06-01", codes: ["P105"]),
    (fields: "expires: 2027-06-01", codes: ["P402"]),
    (fields: "expires: 2027-06-01\n    on-expiry: block", codes: ["P206"]),
  ])
  func aFieldThatCannotBeReadIsNotMissing(fields: String, codes: [String]) throws {
    #expect(try Self.findings("  - host: api.example.com\n    keys: public-web\n    \(fields)\n") == codes)
  }

  @Test("An alias may stand for any field, so nothing seems to be missing beside it")
  func aliases() throws {
    let first = "  - &base { host: api.example.com, keys: public-web, expires: 2027-06-01, on-expiry: block }\n"
    for entry in [
      "  - { <<: *base, host: www.example.com }\n", "  - <<: *base\n    host: www.example.com\n",
      "  - { host: www.example.com, keys: *web }\n",
    ] {
      // The anchor and the alias; P206 is about the first entry.
      let found = try ExampleCheck(Self.head + first + entry).diagnostics.map(\.code)
      #expect(found.filter { $0 == "P104" }.count == 2, "\(entry)")
      #expect(found.filter(Self.codes.contains) == ["P206"], "\(entry)")
    }
    // A merge key with a mapping of its own is a field that the format doesn't have.
    #expect(try Self.findings("  - { <<: { keys: public-web }, host: api.example.com }\n").contains("P105"))
  }

  @Test func keysThatCannotBeReadAreNotMissing() throws {
    let entry = "  - host: api.example.com\n    keys: [public-web]\n    expires: 2027-06-01\n    on-expiry: block\n"
    #expect(try Self.findings(entry) == ["P108"])
  }

  /// What seems to be missing, undeclared or unused where a field has a typo.
  @Test(arguments: [
    ("keys:\n  example", "key:\n  example"), ("key-sets:", "keysets:"), ("key-sets:", "key-set:"),
    ("hosts:", "host:"), ("active:", "actve:"), ("backup:", "bakcup:"), ("    keys:", "    kyes:"),
    ("    keys:", "    key-set:"), ("version:", "verson:"), ("- host: example.com", "- hots: example.com"),
    ("manifest:", "manifst:"),
  ])
  func aFieldWithATypoIsOneMistake(field: String, typo: String) throws {
    let text = "manifest: { audience: test }\n" + Self.head
    #expect(text.contains(field))
    let errors = try ExampleCheck(text.replacing(field, with: typo, maxReplacements: 1)).diagnostics
    #expect(errors.map(\.code).filter { !["P316", "P317", "P318", "P320", "P323"].contains($0) } == ["P105"])
  }

  /// A policy whose suppressions are all needed.
  private static let accepted = """
    version: 1
    manifest: { audience: test }
    defaults: { mode: enforce, include-subdomains: false, expires: 2027-06-01, on-expiry: block }
    keys:
      root: { file: keys/example-root.pem, position: root }
      spare: { file: keys/example-intermediate.pem }
      other: { pin: sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M= }  # pintle:allow P303 until 2027-02-01: soon
    key-sets:
      web:  # pintle:allow P318 until 2027-02-01: the second CA comes in January
        active: [spare]
        backup: [root]
    hosts:
      - host: api.example.com
        keys: web
      - host: www.example.com
        keys: web
        expires: 2026-12-01  # pintle:allow P404 until 2026-11-30: settled in a week
        on-expiry: report-only

    """

  @Test("What couldn't be read doesn't make a suppression or a field look unused")
  func nothingFollowsFromAnUnreadField() throws {
    let judgements: Set<String> = ["P209", "P410"]
    #expect(try ExampleCheck(Self.accepted).diagnostics.map(\.code) == [])
    let values = [
      "1", "test", "enforce", "false", "2027-06-01", "block", "keys/example-root.pem", "keys/example-intermediate.pem",
      "root]",
      "[spare]", "web", "2026-12-01", "report-only", "sha256/C5+lpZ7tcVwmwQIMcRtPbsQtWLABXhQzejna0wHFr8M=", "root }",
    ]
    let others = ["2027-02-30", "keys/gone.pem", "{ a: b }", "sha256/AAAA", "keys/not-a-key.txt", "nothing"]
    let typos = ["hosts:", "keys:", "key-sets:", "defaults:", "expires:", "on-expiry:", "active:", "backup:", "host:"]
      .map {
        ($0, "x" + $0)
      }
    let lines = Self.accepted.split(separator: "\n", omittingEmptySubsequences: false)
    var broken = 0
    for (value, other) in values.flatMap({ value in others.map { (value, $0) } }) + typos {
      for (number, line) in lines.enumerated() where line.contains(value) {
        var text = lines
        text[number] = Substring(line.replacing(value, with: other, maxReplacements: 1))
        let codes = try ExampleCheck(text.joined(separator: "\n")).diagnostics.map(\.code)
        let isUnread = codes.contains { $0 < "P113" || ["P301", "P302", "P309", "P310", "P311"].contains($0) }
        guard isUnread else { continue }
        broken += 1
        #expect(judgements.isDisjoint(with: codes), "\(text[number]): \(codes)")
      }
    }
    #expect(broken > 80)
  }

  @Test func anEntryWithoutAHostIsStillLookedInto() throws {
    #expect(try Self.findings("  - host: https://api.example.com\n    keys: public-wed\n") == ["P302"])
  }
}
