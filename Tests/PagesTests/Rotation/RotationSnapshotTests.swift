import Foundation
import Pages
import Testing

/// Whole pages, kept beside the tests: `Scripts/check/pages` looks at them in a browser.
///
/// `PINTLE_RECORD=1` writes them again; look at them before you commit them.
@Suite("Snapshots of pages of simulations")
struct RotationSnapshotTests {
  static let pages: [(name: String, scene: @Sendable () throws -> Scene)] = [
    ("every-lockout", { try Scene.everyState() }), ("safe", { try Scene.safe() }),
    ("hostile-releases", { try Scene.hostile() }),
  ]

  @Test(arguments: pages.indices) func pageIsAsItWas(_ number: Int) throws {
    let (name, scene) = Self.pages[number]
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Snapshots")
    let file = folder.appendingPathComponent(name + ".html")
    let html = try scene().page().html()
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1" {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data(html.utf8).write(to: file)
      return
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    // Only the first line that differs is shown.
    let difference = zip(html.split(separator: "\n"), recorded.split(separator: "\n")).first { $0 != $1 }
    #expect(difference == nil)
    #expect(html == recorded, "the page differs from its snapshot; PINTLE_RECORD=1 writes it anew")
  }
}
