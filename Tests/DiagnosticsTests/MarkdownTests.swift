import Diagnostics
import Testing

@Suite("Markdown")
struct MarkdownTests {
  @Test(arguments: [
    ("plain 'text'.", "plain 'text'."), ("a|b", "a\\|b"), ("*b* _i_ `c`", "\\*b\\* \\_i\\_ \\`c\\`"),
    ("<img>", "\\<img\\>"), ("[a](b)", "\\[a\\](b)"), ("&lt;", "&amp;lt;"), ("\\", "\\\\"),
    ("@team #12", "@<!-- -->team #<!-- -->12"), ("a\nb", "a b"), ("|\u{301}*\u{301}", "\\|\u{301}\\*\u{301}"),
    ("'https://a.example' www.b.example", "'https:<!-- -->//a.example' www<!-- -->.b.example"), ("w.: a:/", "w.: a:/"),
    ("\u{1B}\r", "\\<U+001B\\>\\<U+000D\\>"),
  ])
  func prose(_ text: String, _ written: String) {
    let shown = MarkdownRenderer().render(Sample.report("x", [Sample.finding(1, 1, 1, 2, text)]))
    #expect(shown.contains("| error | `policy.yaml:1:1` | **P313** \(written) |  |\n"))
  }

  @Test(arguments: [("a`b", "``a`b:1:1``"), ("``", "``` ``:1:1 ```"), ("a|b", "`a\\|b:1:1`")])
  func paths(_ path: String, _ written: String) {
    let shown = MarkdownRenderer().render(Sample.report("x", [Sample.finding(1, 1, 1, 2)], path: path))
    #expect(shown.contains("| \(written) |"))
  }

  @Test func aFenceIsLongerThanAnyInside() {
    let shown = MarkdownRenderer().render(Sample.report("````", [Sample.finding(1, 1, 1, 2)]))
    #expect(shown.contains("\n`````text\n"))
    #expect(shown.hasSuffix("\n`````\n\n</details>\n"))
  }

  @Test(arguments: [1_000, 5_000, 60_000])
  func aCommentFits(_ limit: Int) {
    let findings = (1...2_000).map { Sample.finding($0, 1, $0, 2, "number \($0)", help: "Mend it.") }
    let suppressed = findings.map { Report.Suppressed($0, reason: "later", until: "2027-01-01T00:00:00Z") }
    let text = String(repeating: "line\n", count: 2_000)
    let shown = MarkdownRenderer(limit: limit).render(Sample.report(text, findings, suppressed: suppressed))
    #expect(shown.utf8.count <= limit)
    #expect(shown.contains(" more\n"))
  }

  @Test("what there is no room for is what weighs least")
  func errorsAreShownFirst() {
    let notes = (1...500).map { Sample.finding($0, 1, $0, 2, severity: .note, "number \($0)") }
    let text = String(repeating: "line\n", count: 501)
    let findings = notes + [Sample.finding(501, 1, 501, 2, severity: .error, "the one that counts")]
    let shown = MarkdownRenderer(limit: 5_000).render(Sample.report(text, findings))
    let rows = shown.split(separator: "\n").filter { $0.hasPrefix("| ") }
    #expect(rows.dropFirst().first?.contains("the one that counts") == true)
    #expect(rows.dropFirst(2).first?.contains("number 1 ") == true)
    #expect(shown.contains(" more\n"))
  }

  @Test func nothingFound() {
    #expect(MarkdownRenderer().render(Sample.report("", [])) == "### pintle: no problems in 1 file\n")
  }
}
