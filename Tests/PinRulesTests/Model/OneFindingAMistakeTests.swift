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

  @Test func keysThatCannotBeReadAreNotMissing() throws {
    let entry = "  - host: api.example.com\n    keys: [public-web]\n    expires: 2027-06-01\n    on-expiry: block\n"
    #expect(try Self.findings(entry) == ["P108"])
  }

  /// What seems to be missing, undeclared or unused where a field has a typo.
  @Test(arguments: [
    ("keys:\n  example", "key:\n  example"), ("key-sets:", "keysets:"), ("key-sets:", "key-set:"),
    ("hosts:", "host:"), ("active:", "actve:"), ("backup:", "bakcup:"), ("    keys:", "    kyes:"),
    ("version:", "verson:"), ("- host: example.com", "- hots: example.com"), ("manifest:", "manifst:"),
  ])
  func aFieldWithATypoIsOneMistake(field: String, typo: String) throws {
    let text = "manifest: { audience: test }\n" + Self.head
    #expect(text.contains(field))
    let errors = try ExampleCheck(text.replacing(field, with: typo, maxReplacements: 1)).diagnostics
    #expect(errors.map(\.code).filter { !["P316", "P317", "P318", "P320", "P323"].contains($0) } == ["P105"])
  }

  @Test func anEntryWithoutAHostIsStillLookedInto() throws {
    #expect(try Self.findings("  - host: https://api.example.com\n    keys: public-wed\n") == ["P302"])
  }
}
