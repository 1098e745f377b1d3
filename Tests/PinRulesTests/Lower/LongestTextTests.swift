import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator
import PolicySupport
import ReleaseSupport
import Testing

/// The texts that a policy may hold are those that a manifest may: what `check` passes is built, and is loaded.
struct LongestTextTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// How often the text contains the letter.
    let count: Int
    let letter: String
    /// What `check` says of it; nil if it passes.
    let complaint: String?
  }

  @Test(
    "of a denial",
    arguments: [
      Row(testDescription: "the longest", count: 4_096, letter: "x", complaint: nil),
      Row(testDescription: "one more", count: 4_097, letter: "x", complaint: "has 4097 bytes; the limit is 4096"),
      Row(testDescription: "the longest, in two bytes each", count: 2_048, letter: "é", complaint: nil),
      Row(testDescription: "quotation marks are escaped", count: 2_048, letter: #"\""#, complaint: nil),
      Row(
        testDescription: "and count as written", count: 2_049, letter: #"\""#,
        complaint: "has 4098 bytes; the limit is 4096"),
    ])
  func denial(_ row: Row) throws {
    try hold(
      row,
      "keys:\n  gone: { pin: sha256/JbQbUG5JMJUoI6brnx0x3vZF6jilxsapbXGVfjhN8Fg=, denied: \"\(Self.text(row))\" }\n")
  }

  @Test(
    "of a report URI",
    arguments: [
      Row(testDescription: "the longest", count: 2_048 - 20, letter: "x", complaint: nil),
      Row(testDescription: "one more", count: 2_049 - 20, letter: "x", complaint: "has 2049 bytes; the limit is 2048"),
      Row(testDescription: "no quotation mark", count: 1, letter: #"\""#, complaint: "a URI"),
      Row(testDescription: "no backslash", count: 1, letter: #"\\"#, complaint: "a URI"),
    ])
  func reportURI(_ row: Row) throws {
    try hold(row, "defaults: { report-uris: [\"https://example.com/\(Self.text(row))\"] }\n")
  }

  private static func text(_ row: Row) -> String { String(repeating: row.letter, count: row.count) }

  private func hold(_ row: Row, _ section: String) throws {
    let keys = """
      keys:
        first: { pin: sha256/x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=, position: root }
        second: { pin: sha256/YZPgTZ+woNCCCIW3LH2CxQeLzB/1m42QcCTBSdgayjs=, custody: "HSM A", created: 2026-09-01 }

      """
    let written = section.hasPrefix("keys:\n") ? keys + section.dropFirst("keys:\n".count) : keys + section
    let policy = try ExampleFiles.resolve(
      written + "hosts:\n  - { host: a.example.com, keys: { active: [second], backup: [first] }, expires: 2027-06-01, "
        + "on-expiry: block }\n")
    let outcome = CheckedPolicy.check(CheckInput(policy: policy, at: SmallPolicy.release.issued))
    let errors = outcome.result.diagnostics.filter { $0.severity == .error }
    if let complaint = row.complaint {
      let text = errors.map { $0.message + $0.help }.joined()
      #expect(errors.map(\.code) == ["P109"] && text.contains(complaint), "\(errors)")
      return
    }
    try #require(errors.isEmpty, "\(errors)")
    // Signed, verified and loaded as a client would.
    let loaded = try #require(outcome.checked).rehearsed(at: SmallPolicy.release.issued)
    #expect(loaded.manifest.hosts.count == 1)
  }
}
