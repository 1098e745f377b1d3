import Foundation
import Pages
import Testing

/// Whole pages, kept beside the tests: `Scripts/check/pages` looks at them in a browser.
///
/// `PINTLE_RECORD=1` writes them again; look at them before you commit them.
@Suite struct ProbeSnapshotTests {
  static let pages: [(name: String, fleet: @Sendable () throws -> Fleet)] = [
    ("every-state", { try Fleet.small() }), ("hostile", { try Fleet.hostile() }), ("partial", { try Fleet.partial() }),
  ]

  @Test(arguments: pages.indices) func pageIsAsItWas(_ number: Int) throws {
    let (name, fleet) = Self.pages[number]
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Snapshots")
    let file = folder.appendingPathComponent(name + ".html")
    let html = try fleet().page.html()
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
