import Diagnostics
import PinRules
import Testing

/// The corners of time: the second on which something begins or ends, and values that many hosts share.
@Suite struct LifetimeRulesTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var text: String
    /// `P404 warning 9:14` for each finding about lifetimes.
    var expected: [String] = []
  }

  /// One host with further fields, which begin on line 10.
  static func host(_ fields: String...) -> String {
    PolicyText.hosts(
      (["hosts:", "  - host: api.example.com", "    keys: pins"] + fields.map { "    " + $0 }).joined(separator: "\n"))
  }

  // Examples are checked at 2026-11-21T00:00:00Z.
  static let expiry = [
    Case(testDescription: "never", text: host(), expected: ["P401 warning 8:11"]),
    Case(testDescription: "never, only reported", text: host("mode: report-only")),
    Case(testDescription: "never, taken out", text: host("mode: off", "reason: moved")),
    Case(
      testDescription: "a second ago", text: host("expires: 2026-11-20T23:59:59Z", "on-expiry: block"),
      expected: ["P403 error 10:14"]),
    Case(testDescription: "now", text: host("expires: 2026-11-21", "on-expiry: block"), expected: ["P403 error 10:14"]),
    Case(
      testDescription: "in a second", text: host("expires: 2026-11-21T00:00:01Z", "on-expiry: block"),
      expected: ["P404 warning 10:14"]),
    Case(
      testDescription: "a second before the limit of the warning",
      text: host("expires: 2026-12-20T23:59:59Z", "on-expiry: block"), expected: ["P404 warning 10:14"]),
    Case(testDescription: "in 30 days", text: host("expires: 2026-12-21", "on-expiry: block")),
    Case(testDescription: "in 400 days", text: host("expires: 2027-12-26", "on-expiry: block")),
    Case(
      testDescription: "in 400 days and a second", text: host("expires: 2027-12-26T00:00:01Z", "on-expiry: block"),
      expected: ["P405 warning 10:14"]),
    Case(
      testDescription: "without a word on what comes then", text: host("expires: 2027-06-01"),
      expected: ["P402 error 10:14"]),
    Case(
      testDescription: "falls open", text: host("expires: 2027-06-01", "on-expiry: unpinned"),
      expected: ["P412 note 11:16"]),
    Case(
      testDescription: "falls open where nothing was enforced",
      text: host("mode: report-only", "expires: 2027-06-01", "on-expiry: unpinned")),
    Case(
      testDescription: "limits of one's own",
      text: "manifest: { audience: test, limits: { max-lifetime: 60d, expiry-warning: 12h } }\n"
        + host("expires: 2027-01-20", "on-expiry: block")),
    Case(
      testDescription: "beyond a limit of one's own",
      text: "manifest: { audience: test, limits: { max-lifetime: 59d } }\n"
        + host("expires: 2027-01-20", "on-expiry: block"),
      expected: ["P405 warning 11:14"]),
  ]

  static let shared = [
    Case(
      testDescription: "a default of two hosts is one finding",
      text: PolicyText.hosts(
        """
        defaults: { expires: 2026-12-01, on-expiry: unpinned }
        hosts:
          - { host: a.example.com, keys: pins }
          - { host: b.example.com, keys: pins }
          - { host: c.example.com, keys: pins, expires: 2026-12-02 }
        """),
      expected: ["P404 warning 7:22", "P412 note 7:45", "P404 warning 11:49"])
  ]

  static let freshness = [
    Case(testDescription: "the defaults", text: "version: 1\nmanifest: { audience: test }"),
    Case(
      testDescription: "refreshed when stale", text: "version: 1\nmanifest: { audience: test, refresh-after: 30d }",
      expected: ["P411 error 2:44"]),
    Case(
      testDescription: "stale before the default refresh",
      text: "version: 1\nmanifest: { audience: test, expires-after: 24h }", expected: ["P411 error 2:44"]),
    Case(
      testDescription: "clients that never look", text: "version: 1\nmanifest: { audience: test, client-max-age: 23h }",
      expected: ["P411 error 2:45"]),
    Case(
      testDescription: "falls open", text: "version: 1\nmanifest: { audience: test, on-stale: unpinned }",
      expected: ["P412 note 2:39"]),
  ]

  static let reasons = [
    Case(testDescription: "taken out", text: host("mode: off"), expected: ["P413 warning 8:11"]),
    Case(
      testDescription: "an anchor",
      text: host("mode: report-only", "trust: { anchors: [system, keys/example-root.pem] }"),
      expected: ["P413 warning 11:5"]),
    Case(
      testDescription: "an anchor, for a reason",
      text: host("mode: report-only", "trust: { anchors: [keys/example-root.pem], reason: our CA }")),
    Case(
      testDescription: "an anchor, for the entry's reason",
      text: host("mode: report-only", "reason: our CA", "trust: { anchors: [keys/example-root.pem] }")),
    Case(
      testDescription: "stricter",
      text: host("mode: report-only", #"trust: { minimum-tls: "1.3", minimum-ec-bits: 384 }"#)),
  ]

  static func exception(_ failure: String, _ file: String, until: String = "2026-12-15", and more: String = "")
    -> String
  {
    host(
      "mode: report-only", "reason: see the exception", "trust:", "  exceptions:",
      "    - { failure: \(failure), certificate: keys/\(file), until: \(until), reason: late }", more)
  }

  static let exceptions = [
    Case(testDescription: "expired, and needed", text: exception("expired", "legacy.pem")),
    Case(
      testDescription: "valid longer than the exception", text: exception("expired", "api.pem"),
      expected: ["P408 warning 14:11"]),
    Case(testDescription: "expires during the exception", text: exception("expired", "api.pem", until: "2027-04-02")),
    Case(
      testDescription: "excused for longer than an entry may live",
      text: exception("expired", "legacy.pem", until: "2027-12-27"), expected: ["P405 warning 14:68"]),
    Case(
      testDescription: "excused as long as an entry may live",
      text: exception("expired", "legacy.pem", until: "2027-12-26")),
    Case(
      testDescription: "ended now", text: exception("expired", "legacy.pem", until: "2026-11-21"),
      expected: ["P407 warning 14:68"]),
    Case(
      testDescription: "valid already", text: exception("not-yet-valid", "api.pem"), expected: ["P408 warning 14:11"]),
    Case(
      testDescription: "the name is there", text: exception("name-mismatch", "api.pem"),
      expected: ["P408 warning 14:11"]),
    Case(testDescription: "the name isn't there", text: exception("name-mismatch", "legacy.pem")),
    Case(testDescription: "a usage can't be told", text: exception("wrong-usage", "api.pem")),
    Case(testDescription: "a strong key", text: exception("weak-key", "api.pem"), expected: ["P408 warning 14:11"]),
    Case(testDescription: "a weak key", text: exception("weak-key", "weak-rsa.pem")),
    Case(
      testDescription: "a strong signature", text: exception("weak-signature", "api.pem"),
      expected: ["P408 warning 14:11"]),
    Case(testDescription: "a weak signature", text: exception("weak-signature", "sha1-intermediate.pem")),
    Case(
      testDescription: "another certificate is the only one",
      text: exception("expired", "legacy.pem", and: "  certificate: keys/appliance.pem"),
      expected: ["P408 warning 14:11"]),
    Case(
      testDescription: "the name of the only certificate isn't checked",
      text: exception("name-mismatch", "appliance.pem", and: "  certificate: keys/appliance.pem"),
      expected: ["P408 warning 14:11"]),
    Case(
      testDescription: "the longer of two",
      text: exception(
        "expired", "legacy.pem",
        and: "    - { failure: expired, certificate: keys/legacy.pem, until: 2027-01-01, reason: later }"),
      expected: ["P408 warning 15:11"]),
  ]

  static let suppressions = [
    Case(
      testDescription: "needed", text: host("expires: 2027-06-01 # pintle:allow P402 until 2027-01-01: to be settled")),
    Case(
      testDescription: "ended", text: host("expires: 2027-06-01 # pintle:allow P402 until 2026-11-21: to be settled"),
      expected: ["P402 error 10:14", "P409 warning 10:25"]),
    Case(
      testDescription: "for longer than an entry may live",
      text: host("expires: 2027-06-01 # pintle:allow P402 until 2099-01-01: never"), expected: ["P405 warning 10:25"]),
    Case(
      testDescription: "of what is said of itself",
      text: host("mode: report-only # pintle:allow P405 until 2099-01-01: never"),
      expected: ["P405 warning 10:23", "P410 warning 10:23"]),
    Case(
      testDescription: "of a long lifetime",
      text: host("expires: 2030-01-01 # pintle:allow P405 until 2027-01-01: agreed", "on-expiry: block")),
    Case(
      testDescription: "of another line",
      text: host("expires: 2027-06-01", "on-expiry: block # pintle:allow P402 until 2027-01-01: no"),
      expected: ["P410 warning 11:22"]),
    Case(
      testDescription: "of no rule", text: host("mode: report-only # pintle:allow P999 until 2027-01-01: no"),
      expected: ["P410 warning 10:23"]),
    Case(
      testDescription: "of what can't be suppressed",
      text: host("mode: report-only # pintle:allow P301 until 2027-01-01: no"),
      expected: ["P410 warning 10:23"]),
    // Without a baseline or a server, some rules aren't checked, so their suppressions may be needed.
    Case(
      testDescription: "without a baseline", text: host("mode: report-only # pintle:allow P406 until 2027-01-01: tried")
    ),
    Case(
      testDescription: "of a live check", text: host("mode: report-only # pintle:allow P501 until 2027-01-01: known")),
    Case(
      testDescription: "of a signing key", text: host("mode: report-only # pintle:allow P701 until 2027-01-01: known")),
  ]

  @Test(arguments: expiry + shared + freshness + reasons + exceptions + suppressions)
  func findings(_ test: Case) throws {
    let check = try ExampleCheck(test.text)
    #expect(check.diagnostics.filter { $0.code.hasPrefix("P1") && $0.severity == .error } == [])
    let found = check.diagnostics.filter { $0.code.hasPrefix("P4") }.map {
      "\($0.code) \($0.severity.rawValue) \($0.place.start.line):\($0.place.start.column)"
    }
    #expect(found == test.expected)
  }

  @Test(arguments: [
    ("allow", "'api.example.com' is unpinned once it expires"),
    ("deny", "'api.example.com' is blocked once it expires, because hosts that aren't pinned are denied"),
  ])
  func whatUnpinnedMeans(_ answer: String, _ message: String) throws {
    let check = try ExampleCheck(
      "manifest: { audience: test, unpinned-hosts: \(answer) }\n"
        + Self.host("expires: 2027-06-01", "on-expiry: unpinned"))
    #expect(check.diagnostics(of: "P412").map(\.message) == [message])
  }

  @Test func messageOfASharedDefault() throws {
    let check = try ExampleCheck(Self.shared[0].text)
    #expect(
      check.diagnostics(of: "P404").map(\.message) == [
        "'a.example.com' and 1 more host expire at 2026-12-01T00:00:00Z, in 10 days",
        "'c.example.com' expires at 2026-12-02T00:00:00Z, in 11 days",
      ])
  }
}
