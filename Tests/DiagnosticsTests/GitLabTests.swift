import Diagnostics
import Foundation
import Testing

/// `Scripts/check/reports` holds what is written against GitLab's own schema and reader.
@Suite("GitLab Code Quality")
struct GitLabTests {
  @Test func aFindingHasAllThatGitLabAsksFor() throws {
    let finding = Sample.finding(
      2, 3, 2, 9, severity: .warning, "key set 'web' has no backup key", help: "Add a key to 'backup:'.")
    let found = try #require(try read(Sample.report("a:\n  'web'\n", [finding], path: "./policies/web.yaml")).first)
    #expect(found["description"] as? String == "key set 'web' has no backup key [P313]. Add a key to 'backup:'.")
    #expect(found["check_name"] as? String == "P313 missing-backup")
    #expect(found["severity"] as? String == "minor")
    let location = try #require(found["location"] as? [String: Any])
    #expect(location["path"] as? String == "policies/web.yaml")
    #expect((location["lines"] as? [String: Int]) == ["begin": 2])
  }

  @Test(arguments: [(Severity.error, "critical"), (.warning, "minor"), (.note, "info")])
  func severities(_ severity: Severity, _ written: String) throws {
    let found = try read(Sample.report("a", [Sample.finding(1, 1, 1, 2, severity: severity)]))
    #expect(found.map { $0["severity"] as? String } == [written])
  }

  @Test func nothingFoundIsAnEmptyArray() throws {
    #expect(GitLabRenderer().render(Sample.report("a", [])) == "[]\n")
  }

  @Test func aFingerprintStaysWhenLinesMoveAndDaysPass() throws {
    let before = try fingerprints("hosts:\n  - one\n", [Sample.finding(2, 5, 2, 8, "'one' has 81 days left")])
    let after = try fingerprints(
      "# a comment\n\nhosts:\n    - one\n", [Sample.finding(4, 7, 4, 10, "'one' has 9 days left")])
    #expect(before == after)
    #expect(before.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{32}/) != nil })
  }

  @Test func otherFindingsHaveOtherFingerprints() throws {
    let text = "one\ntwo\none\n"
    let findings = [
      Sample.finding(1, 1, 1, 4), Sample.finding(2, 1, 2, 4), Sample.finding(3, 1, 3, 4),
      Sample.finding(1, 1, 1, 4, code: "P403"), Sample.finding(1, 1, 1, 4, "other"), Sample.finding(1, 1, 1, 4),
    ]
    let found = try fingerprints(text, findings)
    #expect(Set(found).count == findings.count)
    #expect(try fingerprints(text, findings, path: "other.yaml").allSatisfy { !found.contains($0) })
  }

  @Test func ofFindingsThatAreAlikeTheFirstKeepsItsFingerprint() throws {
    let one = try fingerprints("one\n", [Sample.finding(1, 1, 1, 4)])
    let two = try fingerprints("one\none\n", [Sample.finding(1, 1, 1, 4), Sample.finding(2, 1, 2, 4)])
    #expect(two.first == one.first)
  }

  private func fingerprints(_ text: String, _ findings: [Diagnostic], path: String = "policy.yaml") throws -> [String] {
    try read(Sample.report(text, findings, path: path)).map { try #require($0["fingerprint"] as? String) }
  }

  private func read(_ report: Report) throws -> [[String: Any]] {
    let text = GitLabRenderer().render(report)
    return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
  }
}
