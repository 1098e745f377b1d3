import Diagnostics
import PinFormat
import Testing

/// Text stays text, and the page says only what this program wrote.
@Suite struct MarkupTests {
  @Test(arguments: [
    ("<b>&\"'", "&lt;b&gt;&amp;&quot;&#39;"), ("</style></script>", "&lt;/style&gt;&lt;/script&gt;"),
    ("a\u{202E}b", "a&lt;U+202E&gt;b"), ("\u{0}\n\t", "&lt;U+0000&gt;&lt;U+000A&gt;&lt;U+0009&gt;"),
    ("日本語", "日本語"), ("&amp;", "&amp;amp;"),
  ])
  func textIsEscapedAndVisible(_ text: String, _ written: String) {
    var markup = Markup()
    markup.element(.span, .label(text), text: text)
    #expect(markup.html == "<span aria-label=\"\(written)\">\(written)</span>")
  }

  @Test func textTurnsIntoNoElementWhereverItStands() {
    var markup = Markup()
    markup.element(.svg, .plain("aria-label", "\"><script>")) { markup in
      markup.element(.title, text: "</title><script>")
      markup.empty(.rect, .plain("x", "1\" onload=\"x"))
    }
    #expect(!markup.html.contains("<script"))
    #expect(!markup.html.contains("\" onload"))
  }

  @Test(arguments: [
    (-5, "just now"), (119, "just now"), (120, "2 minutes ago"), (7_199, "119 minutes ago"), (7_200, "2 hours ago"),
    (172_799, "47 hours ago"), (172_800, "2 days ago"), (34 * 86_400, "34 days ago"),
  ])
  func timesAreShownAsDistances(_ seconds: Int64, _ shown: String) throws {
    let then = try #require(Instant(written: "2026-11-20T01:00:00Z"))
    #expect(then.ago(at: then.adding(seconds: seconds)) == shown)
  }

  @Test func longTextIsCutAndCounted() {
    #expect(ShownText.of("abcdef", limit: 4) == "abcd… (and 2 more characters)")
    #expect(ShownText.of("abcde", limit: 4) == "abcd… (and 1 more character)")
    #expect(ShownText.of("abcd", limit: 4) == "abcd")
    #expect(ShownText.of("éééé", limit: 4) == "éééé")
    // One letter with ten thousand accents is one Swift character, and still too long.
    let tower = "e" + String(repeating: "\u{301}", count: 10_000)
    #expect(ShownText.name(tower).unicodeScalars.count < 200)
  }

  @Test func onlyTheWebIsLinkedTo() {
    #expect(Attribute.link(toPage: "javascript:alert(1)") == nil)
    #expect(Attribute.link(toPage: "data:text/html,x") == nil)
    #expect(Attribute.link(toPage: "http://example.com") == nil)
    #expect(Attribute.link(toPage: "https://example.com")?.value == "https://example.com")
  }

  @Test(arguments: [
    ([], "/"), (["hosts", "a.test", "443"], "/hosts/a.test/443"),
    (["hosts", "a/../b", "?x#y"], "/hosts/a%2F..%2Fb/%3Fx%23y"), (["..", "."], "/-/-"),
    (["\"><script>", "é"], "/%22%3E%3Cscript%3E/%C3%A9"), (["", "evil.test"], "/-/evil.test"),
  ])
  func aLinkToAnotherPageKeepsItsPartsApart(_ path: [String], _ address: String) {
    #expect(Attribute.link(toPath: path).value == address)
  }
}
