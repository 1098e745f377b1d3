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
    (fields: "expirse: 2027-06-01", codes: ["P401", "P105"]),
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

  @Test func anEntryWithoutAHostIsStillLookedInto() throws {
    #expect(try Self.findings("  - host: https://api.example.com\n    keys: public-wed\n") == ["P302"])
  }
}
