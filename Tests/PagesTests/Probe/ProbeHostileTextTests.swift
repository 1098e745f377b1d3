import Pages
import Testing

/// What servers and policies say stays text.
@Suite struct ProbeHostileTextTests {
  @Test func hostileFleetStaysText() throws {
    let html = try Fleet.hostile().page.html()
    for harm in ["<img", "<script", "<b>", "</script", "<!--", "href=\"javascript", "\"onmouseover"] {
      #expect(!html.contains(harm), "the page holds \(harm)")
    }
    let hidden = html.unicodeScalars.filter {
      $0.properties.generalCategory == .format || $0.value < 0x20 && $0 != "\n"
    }
    #expect(hidden.isEmpty)
    #expect(html.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"))
    #expect(!html.contains(String(repeating: "W", count: 3_000)))
  }
}
