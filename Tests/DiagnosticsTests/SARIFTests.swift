import Diagnostics
import Foundation
import Testing

/// `Scripts/check/sarif` holds what is written against OASIS' schema and GitHub's limits.
@Suite("SARIF")
struct SARIFTests {
  @Test func aFixIsAReplacementForEachEditByFile() throws {
    let fixes = try #require(try results(Sample.everything).first?["fixes"] as? [[String: Any]])
    #expect(fixes.count == 1)
    #expect((fixes[0]["description"] as? [String: String]) == ["text": "add 'spare' to {{backup}}"])
    #expect((fixes[0]["properties"] as? [String: String]) == ["safety": "suggested"])
    let changes = try #require(fixes[0]["artifactChanges"] as? [[String: Any]])
    #expect(changes.map { ($0["artifactLocation"] as? [String: Any])?["index"] as? Int } == [0, 1])
    let replacements = changes.compactMap { $0["replacements"] as? [[String: Any]] }
    #expect(replacements.map(\.count) == [2, 1])
    let region = ["startLine": 6, "startColumn": 21, "endLine": 6, "endColumn": 21]
    #expect(replacements[0][0]["deletedRegion"] as? [String: Int] == region)
    let inserted = try #require(replacements[0][0]["insertedContent"] as? [String: String])
    #expect(inserted == ["text": "\n    \u{301}backup: [\"spare\"]\u{2028}"])
    #expect(replacements[0][1]["insertedContent"] == nil)
  }

  @Test func aFindingWithoutFixesHasNone() throws {
    #expect(try results(Sample.report("a", [Sample.finding(1, 1, 1, 2)])).first?["fixes"] == nil)
    let empty = Sample.finding(1, 1, 1, 2, fixes: [Fix("do nothing", .safe, edits: [])])
    #expect(try results(Sample.report("a", [empty])).first?["fixes"] == nil)
  }

  @Test func fingerprintsTellFindingsApart() throws {
    let found = try results(NastyTexts.report).compactMap { $0["partialFingerprints"] as? [String: String] }
    #expect(found.count == 2 * NastyTexts.all.count)
    #expect(Set(found.compactMap { $0["pintle/v1"] }).count == found.count)
  }

  @Test func codeScanningTakesTheGravestOfACrowd() throws {
    #expect(SARIFRenderer().limit == 25_000)
    let text = SARIFRenderer(limit: 250).render(NastyTexts.crowd)
    let found = try results(NastyTexts.crowd, limit: 250)
    #expect(found.count == 250)
    #expect(found.count { $0["level"] as? String == "error" } == 100)
    #expect(found.count { $0["level"] as? String == "note" } == 50)
    #expect(text.contains("50 more findings not listed here"))
  }

  private func results(_ report: Report, limit: Int = 25_000) throws -> [[String: Any]] {
    let text = SARIFRenderer(limit: limit).render(report)
    let log = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let runs = try #require(log["runs"] as? [[String: Any]])
    return try #require(runs.first?["results"] as? [[String: Any]])
  }
}
