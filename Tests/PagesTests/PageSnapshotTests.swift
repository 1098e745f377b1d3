import Foundation
import Pages
import Testing

/// A whole page for each state that pages can show, kept beside the tests: `Scripts/check/pages` looks at them in a
/// browser.
///
/// `PINTLE_RECORD=1` writes them again; look at them before you commit them.
@Suite("Snapshots of pages")
struct PageSnapshotTests {
  struct Snapshot: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var html: @Sendable () throws -> String

    init(_ name: String, _ html: @escaping @Sendable () throws -> String) {
      (testDescription, self.html) = (name, html)
    }
  }

  static let pages = [
    Snapshot("probe-states") { try Fleet.small().page.html() },
    Snapshot("probe-holds") { try Fleet.large(1).page.html() },
    Snapshot("probe-partial") { try Fleet.partial().page.html() },
    Snapshot("probe-hostile") { try Fleet.hostile().page.html() },
    Snapshot("simulation-lockouts") { try Scene.everyState().page().html() },
    Snapshot("simulation-safe") { try Scene.safe().page().html() },
    Snapshot("simulation-hostile") { try Scene.hostile().page().html() },
  ]

  @Test(arguments: pages) func isAsItWas(_ page: Snapshot) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Snapshots")
    let file = folder.appendingPathComponent(page.testDescription + ".html")
    let html = try page.html()
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1" {
      try Data(html.utf8).write(to: file)
      return
    }
    let recorded = try String(contentsOf: file, encoding: .utf8)
    // Only the first line that differs is shown.
    let difference = zip(html.split(separator: "\n"), recorded.split(separator: "\n")).first { $0 != $1 }
    #expect(difference == nil)
    #expect(html == recorded, "the page differs from its snapshot; PINTLE_RECORD=1 writes it again")
  }
}
