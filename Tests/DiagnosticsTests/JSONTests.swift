import Diagnostics
import Foundation
import Testing

@Suite("JSON and SARIF")
struct JSONTests {
  /// Text survives as it is, whatever is in it.
  @Test(arguments: [
    "plain", "\"\\/\u{8}\u{C}\n\r\t", "\0\u{1B}[2J\u{7F}\u{9B}", "é所🔑👩‍💻\u{E0041}\u{2028}\u{FEFF}", "\u{FFFF}",
  ])
  func textSurvives(_ text: String) throws {
    let report = Sample.report("x", [Sample.finding(1, 1, 1, 2, text, help: text)], path: text)
    let json = try parse(JSONRenderer().render(report))
    let finding = try #require((json["findings"] as? [[String: Any]])?.first)
    #expect(scalars(finding["message"]) == Array(text.unicodeScalars))
    #expect(scalars(finding["help"]) == Array(text.unicodeScalars))
    #expect(scalars((finding["place"] as? [String: Any])?["path"]) == Array(text.unicodeScalars))
  }

  @Test func theShapeOfAReport() throws {
    let json = try parse(JSONRenderer().render(Sample.everything))
    #expect(json["format"] as? String == "pintle-findings")
    #expect(json["version"] as? Int == 1)
    #expect(json["at"] as? String == "2026-11-21T00:00:00Z")
    let expected = ["errors": 1, "warnings": 1, "notes": 2, "suppressed": 1, "files": 3]
    #expect(json["summary"] as? [String: Int] == expected)
    let findings = try #require(json["findings"] as? [[String: Any]])
    #expect(findings.map { $0["code"] as? String } == ["P313", "P403", "P999", "P999"])
    #expect(findings.map { $0["name"] as? String } == ["missing-backup", "expired", nil, nil])
    let place = try #require(findings[2]["place"] as? [String: Any])
    #expect(place["start"] as? [String: Int] == ["line": 70, "column": 3])
    #expect(place["end"] as? [String: Int] == ["line": 70, "column": 3])
  }

  @Test func anEmptyReport() throws {
    for format in [FindingsFormat.json, .sarif] {
      let report = Report(
        diagnostics: [], sources: SourceSet([]), tool: .init(name: "pintle", version: "1"), instant: "")
      #expect(throws: Never.self) { try parse(format.render(report)) }
    }
  }

  @Test func everySARIFResultHasALocation() throws {
    let run = try run(of: Sample.everything)
    let results = try #require(run["results"] as? [[String: Any]])
    #expect(results.count == 5)
    for result in results {
      let locations = try #require(result["locations"] as? [[String: Any]])
      let place = try #require(locations.first?["physicalLocation"] as? [String: Any])
      let uri = try #require((place["artifactLocation"] as? [String: Any])?["uri"] as? String)
      #expect(URL(string: uri) != nil)
      let region = try #require(place["region"] as? [String: Int])
      #expect(region["startLine", default: 0] >= 1 && region["startColumn", default: 0] >= 1)
    }
    #expect(results.map { ($0["suppressions"] as? [Any])?.count } == [nil, nil, nil, nil, 1])
  }

  @Test(arguments: [
    ("RFC 7469 section 4.3", nil, "https://www.rfc-editor.org/rfc/rfc7469#section-4.3"),
    ("Apple", nil, nil),
    ("Apple", "https://pins.example.org/docs", "https://pins.example.org/docs/rules/P100/"),
    ("RFC 7469 section 4.3", "https://pins.example.org/", "https://pins.example.org/rules/P100/"),
  ])
  func helpOfASARIFRule(_ citation: String, _ reference: String?, _ address: String?) throws {
    var report = Sample.report("", [])
    report.rules = [
      .init(code: "P100", name: "a-rule", title: "T.", severity: .note, rationale: "", citation: citation)
    ]
    report.tool.reference = reference
    let driver = try #require((try run(of: report)["tool"] as? [String: Any])?["driver"] as? [String: Any])
    let rule = try #require((driver["rules"] as? [[String: Any]])?.first)
    #expect(rule["helpUri"] as? String == address)
    #expect(driver["informationUri"] as? String == reference)
  }

  /// If the documentation has an address, formats with room for a link have one to the rule's page.
  @Test(arguments: [
    (FindingsFormat.text, "(more: https://pins.example.org/docs/rules/P313/)\n", "(more: pintle explain P313)\n"),
    (.json, #""url": "https://pins.example.org/docs/rules/P313/""#, "\"source\": \"RFC 7469 section 4.3\"\n"),
    (.markdown, "**[P313](https://pins.example.org/docs/rules/P313/)** wrong", "**P313** wrong"),
  ])
  func findingsLinkToTheirRule(_ format: FindingsFormat, _ link: String, _ otherwise: String) {
    var report = Sample.report("x", [Sample.finding(1, 1, 1, 2, citation: "RFC 7469 section 4.3")])
    let without = format.render(report)
    #expect(!without.contains("docs/rules"))
    #expect(without.contains(otherwise))
    report.tool.reference = "https://pins.example.org/docs"
    #expect(format.render(report).contains(link))
  }

  @Test(arguments: [
    ("a/b.yaml", "a/b.yaml"), ("a b", "a%20b"), ("c:d%#?", "c%3Ad%25%23%3F"), ("ü\n", "%C3%BC%0A"),
    ("/etc/x y", "file:///etc/x%20y"), ("../x", "../x"),
  ])
  func pathsBecomeAddresses(_ path: String, _ address: String) throws {
    let run = try run(of: Sample.report("", [], path: path))
    let location = (run["artifacts"] as? [[String: Any]])?.first?["location"] as? [String: Any]
    #expect(location?["uri"] as? String == address)
  }

  @Test(arguments: [
    ("RFC 7469 section 4.3", "https://www.rfc-editor.org/rfc/rfc7469#section-4.3"),
    ("RFC 7469 sections 2.5 and 4.3", "https://www.rfc-editor.org/rfc/rfc7469#section-2.5"),
    ("RFC 7469 section 2.4; Apple", "https://www.rfc-editor.org/rfc/rfc7469#section-2.4"),
    ("RFC 8375", "https://www.rfc-editor.org/rfc/rfc8375"),
    ("RFC 7469 appendix B", "https://www.rfc-editor.org/rfc/rfc7469"),
    ("RFC x", nil), ("RFC", nil), ("", nil), ("NIST SP 800-57; RFC 7469", nil),
  ])
  func addressesOfCitations(_ citation: String, _ address: String?) {
    #expect(Citation.address(of: citation) == address)
  }

  private func run(of report: Report) throws -> [String: Any] {
    try #require((try parse(SARIFRenderer().render(report))["runs"] as? [[String: Any]])?.first)
  }

  private func parse(_ text: String) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
  }

  private func scalars(_ value: Any?) -> [Unicode.Scalar]? { (value as? String).map { Array($0.unicodeScalars) } }
}
