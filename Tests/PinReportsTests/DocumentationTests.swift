import Foundation
import Testing

/// docs/reports.md shows what the code writes: its example is the fixture that is named above it.
@Suite struct DocumentationTests {
  @Test func showsTheFixtures() throws {
    let path = fixtures + "/../../docs/reports.md"
    let page = try String(contentsOfFile: path, encoding: .utf8)
    let blocks = page.components(separatedBy: "<!-- fixture: ").dropFirst()
    #expect(blocks.count == 1)
    for block in blocks {
      let name = try #require(block.components(separatedBy: " -->").first)
      let parts = block.components(separatedBy: "```")
      let example = try #require(parts.count > 1 ? parts[1].dropFirst("json\n".count) : nil)
      let shown = try JSONSerialization.jsonObject(with: Data(example.utf8)) as? NSDictionary
      let written = try JSONSerialization.jsonObject(with: Data(try fixture(name))) as? NSDictionary
      #expect(shown == (shortened(try #require(written)) as? NSDictionary), "\(name)")
    }
  }

  /// Certificates are cut off after 32 characters of Base64.
  private func shortened(_ value: Any) -> Any {
    switch value {
    case let text as String where text.hasPrefix("-----BEGIN"):
      return text.split(separator: "\n").prefix(2).map { $0.prefix(32) }.joined(separator: "\n") + "…"
    case let list as [Any]: return list.map(shortened)
    case let object as [String: Any]: return object.mapValues(shortened) as NSDictionary
    default: return value
    }
  }
}
