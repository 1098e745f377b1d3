import Foundation
import TestSupport
import Testing

/// What `pintle find --format json` prints is kept as fixtures, which `Scripts/check/schemas` checks with the schema.
///
/// `PINTLE_RECORD=1` writes them again; read the diff before you commit it.
@Suite("Pins that were found, as JSON")
struct FindFixtureTests {
  @Test(arguments: [("app", "app"), ("nothing", "keys")])
  func theListIsAsItWas(_ name: String, _ path: String) throws {
    let place = try Workplace()
    let result = try place.run("mkdir -p keys && pintle find \(path) --format json")
    // An empty folder isn't an all-clear.
    #expect(name == "nothing" ? result.stderrText.contains("no file was searched") : result.stderrText.isEmpty)
    let file = TranscriptTests.folder.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/find/valid/\(name).json")
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1" {
      try Data(result.stdoutText.utf8).write(to: file)
      return
    }
    #expect(result.stdoutText == (try String(contentsOf: file, encoding: .utf8)))
  }
}
