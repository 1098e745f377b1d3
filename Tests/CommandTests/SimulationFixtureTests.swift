import Foundation
import TestSupport
import Testing

/// What `pintle simulate --format json` prints is kept as fixtures, which `Scripts/check/schemas` checks with the
/// schema.
///
/// `PINTLE_RECORD=1` writes them again; read the diff before you commit it.
@Suite("Simulations as JSON")
struct SimulationFixtureTests {
  static let known = "--against released --key release.key.pub --evidence evidence.json"

  static let commands: [(name: String, incident: String, arguments: String)] = [
    ("first-release", "leaf-regenerated", "mended --at 2024-09-02"),
    ("too-late", "leaf-regenerated", "too-late \(known) --at 2024-09-02"),
    ("renewal", "leaf-regenerated", "policies \(known) --at 2024-09-02 --server api.example.com=unknown@2024-09-18"),
    ("all-lost", "leaf-regenerated", "policies \(known) --at 2024-09-02 --lose api --lose api-spare"),
    ("denied", "leaf-regenerated", "mended \(known) --at 2024-09-02 --deny api --until 2024-12-01"),
    ("frozen", "leaf-regenerated", "mended \(known) --at 2024-09-02 --freeze --until 2025-06-01"),
    ("not-resilient", "backup-never-kept", "policies \(known) --at 2016-10-17 --deny spare-2014"),
  ]

  @Test(arguments: commands.indices) func simulationIsAsItWas(_ number: Int) throws {
    let (name, incident, arguments) = Self.commands[number]
    let place = try Workplace()
    let result = try place.run("cd incidents/\(incident) && pintle simulate \(arguments) --format json")
    #expect(result.stderrText == "")
    let file = TranscriptTests.folder.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/simulations/valid/\(name).json")
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1" {
      try Data(result.stdoutText.utf8).write(to: file)
      return
    }
    #expect(result.stdoutText == (try String(contentsOf: file, encoding: .utf8)))
  }
}
