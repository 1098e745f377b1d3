import Diagnostics
import Testing

/// What P218 finds in production of what belongs to another audience.
struct DevelopmentInProductionTests {
  struct Row: CustomTestStringConvertible {
    var testDescription: String
    /// What the audience `staging` says.
    var staging: String
    var hosts: [String]
    var messages: [String] = []
  }

  private static let mine = "host: api.example.com, keys: web"
  private static let root = "trust: { anchors: [keys/example-root.pem], reason: ours }"
  private static let theirs = "host: test.example.net, keys: web, audiences: [staging], \(root)"

  private static let rows = [
    Row(testDescription: "nothing of staging", staging: "development: true", hosts: [mine]),
    Row(
      testDescription: "an anchor that only an entry for staging names", staging: "development: true",
      hosts: ["\(mine), \(root)", theirs],
      messages: [
        "'api.example.com' trusts an anchor that an entry for development names too",
        "'root' pins an anchor that an entry for development names too",
      ]),
    Row(
      testDescription: "a pin of such an anchor", staging: "development: true", hosts: [mine, theirs],
      messages: ["'root' pins an anchor that an entry for development names too"]),
    Row(
      testDescription: "staging lists its anchors, and this isn't one of them",
      staging: "development: true, anchors: [keys/other-root.pem]", hosts: ["\(mine), \(root)", theirs],
      messages: ["'other' pins an anchor of the audience 'staging'"]),
    Row(
      testDescription: "staging lists it", staging: "anchors: [keys/example-root.pem]", hosts: ["\(mine), \(root)"],
      messages: [
        "'api.example.com' trusts an anchor of the audience 'staging'",
        "'root' pins an anchor of the audience 'staging'",
      ]),
    Row(
      testDescription: "a name that is expected in a certificate", staging: "domains: [staging.example.com]",
      hosts: ["\(mine), trust: { server-name: a.staging.example.com, reason: shared }"],
      messages: [
        "'api.example.com' expects a certificate for 'a.staging.example.com', in a domain of the audience 'staging'"
      ]),
    Row(
      testDescription: "enforced in staging under another name",
      staging: "development: true, overlays: [{ host: api.example.com, as: api.example.net, mode: enforce }]",
      hosts: ["\(mine), mode: report-only"],
      messages: ["'api.example.com' is only reported here, and enforced in development"]),
    Row(
      testDescription: "stricter after its expiry in staging",
      staging: "development: true, overlays: [{ host: api.example.com, on-expiry: block }]",
      hosts: ["\(mine), expires: 2027-06-01, on-expiry: report-only"],
      messages: ["'api.example.com' has 'on-expiry: report-only' here, and 'block' in development"]),
    Row(
      testDescription: "less strict in staging",
      staging: "development: true, overlays: [{ host: api.example.com, mode: report-only, on-expiry: unpinned }]",
      hosts: ["\(mine), expires: 2027-06-01, on-expiry: report-only"]),
  ]

  @Test(arguments: rows)
  func finds(_ row: Row) throws {
    let check = try ExampleCheck(
      """
      version: 1
      manifest:
        audiences:
          production: { refresh-after: 1d }
          staging: { \(row.staging) }
      keys:
        root: { file: keys/example-root.pem }
        other: { file: keys/other-root.pem }
      key-sets:
        web: { active: [root], backup: [other] }
      hosts:
      \(row.hosts.map { "  - { \($0) }\n" }.joined())
      """)
    #expect(check.diagnostics(of: "P218").map(\.message).sorted() == row.messages.sorted())
  }
}
