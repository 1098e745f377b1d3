import Pages
import Testing

/// What releases, keys and servers are called stays text.
@Suite("Hostile text in pages of simulations")
struct RotationHostileTextTests {
  @Test func hostileSceneStaysText() throws {
    let html = try Scene.hostile().page().html()
    for harm in ["<img", "<script", "</script", "<!--", "\"onerror", "onerror=alert(1)>"] {
      #expect(!html.contains(harm), "the page holds \(harm)")
    }
    let hidden = html.unicodeScalars.filter {
      $0.properties.generalCategory == .format || $0.value < 0x20 && $0 != "\n"
    }
    #expect(hidden.isEmpty)
    #expect(html.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"))
    #expect(!html.contains(String(repeating: "W", count: 2_100)))
  }
}
