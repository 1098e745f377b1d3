import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PolicySupport
import ReleaseSupport
import TestSupport
import Testing

/// The names in `probe:`: what the entry declares has to work there too.
@Suite struct ProbedNameTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var leaf: [String] = ["DNS:example.com"]
    /// The constraints of the only anchor.
    var constraints: String?
    var pinsRoot = false
    var entry = "probe: [a.example.com]"
    var trust = "anchors: [root.pem]"
    var others = ""
    let expected: [String]
  }

  @Test(arguments: [
    Case(
      testDescription: "no key has a certificate for it",
      expected: ["P332 warning 'example.com' has a certificate for 'a.example.com': they are for 'example.com'"]),
    Case(testDescription: "a certificate names it", leaf: ["DNS:example.com", "DNS:a.example.com"], expected: []),
    Case(testDescription: "a wildcard covers it", leaf: ["DNS:example.com", "DNS:*.example.com"], expected: []),
    Case(testDescription: "servers below have certificates that nobody pins", pinsRoot: true, expected: []),
    Case(
      testDescription: "an exception excuses the name",
      trust:
        "anchors: [root.pem], exceptions: [{ failure: name-mismatch, certificate: key.pem, until: 2027-03-01, reason: r }]",
      expected: []),
    Case(
      testDescription: "clients verify another name", trust: "anchors: [root.pem], server-name: example.com",
      expected: []),
    Case(
      testDescription: "another entry governs it", others: "- { host: a.example.com, mode: off, reason: old }",
      expected: []),
    Case(
      testDescription: "the anchor may not certify it", constraints: "critical,excluded;DNS:a.example.com",
      pinsRoot: true,
      expected: ["P331 error for 'a.example.com', which 'probe:' of 'example.com' lists"]),
    Case(
      testDescription: "the pinned root may not certify it", constraints: "critical,excluded;DNS:a.example.com",
      pinsRoot: true, trust: "minimum-tls: \"1.2\"",
      expected: ["P336 error for 'a.example.com', which 'probe:' of 'example.com' lists"]),
  ])
  func names(_ row: Case) throws {
    let pki = try Maker().archive.pki
    let root = try pki.issue(.authority("Root").with { $0.nameConstraints = row.constraints }, by: nil)
    let leaf = try pki.issue(.leaf(names: row.leaf), by: root)
    let text = """
      keys:
        one: { file: key.pem, position: \(row.pinsRoot ? "root" : "leaf") }
        two: { file: two.pem, position: leaf }
        three: { pin: sha256/YZPgTZ+woNCCCIW3LH2CxQeLzB/1m42QcCTBSdgayjs=, custody: HSM B }
      hosts:
        - host: example.com
          include-subdomains: true
          \(row.entry)
          keys: { active: [one], backup: [\(row.pinsRoot ? "three" : "two")] }
          trust: { \(row.trust), reason: ours }
        \(row.others)

      """
    var files = ["root.pem": root.pem, "key.pem": (row.pinsRoot ? root : leaf).pem]
    files["two.pem"] = try pki.issue(.leaf(names: row.leaf), by: root).pem
    let policy = try ExampleFiles.resolve(text, adding: files)
    let found = CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued)).result.diagnostics
      .filter { ["P331", "P332", "P336"].contains($0.code) }
    #expect(found.count == row.expected.count, "\(found.map(\.message))")
    for (finding, expected) in zip(found, row.expected) {
      let parts = expected.split(separator: " ", maxSplits: 2).map(String.init)
      #expect([finding.code, "\(finding.severity)"] == Array(parts.prefix(2)))
      #expect(finding.message.contains(parts[2]), "\(finding.message)")
    }
  }
}
