import Foundation
import TestSupport
import Testing

/// What `pintle test --format json` prints is kept as fixtures, which `Scripts/check/schemas` checks with the schema.
///
/// `PINTLE_RECORD=1` writes them again; read the diff before you commit it.
@Suite("Results of tests, as JSON")
struct TestFixtureTests {
  private static let tests = """
    version: 1
    anchors: [keys/example-root.pem]
    tests:
      - { name: passes, host: api.example.com, keys: [api-spare], expect: allow }
      - { name: fails, host: api.example.com, chain: chains/api.pem, expect: block, because: mismatch, step: 5 }
      - { name: key and events, host: api.example.com, keys: [api-spare], expect: allow, key: other-root, events: [] }
      - { name: unusable, host: api.example.com, keys: [api-spar], expect: allow }

    """

  @Test(arguments: ["results", "coverage"])
  func resultsAreAsTheyWere(_ name: String) throws {
    let place = try Workplace()
    try place.write(Self.tests, to: "policies/a.test.yaml")
    try place.write("version: 1\ntests: {}\n", to: "policies/b.test.yaml")
    let chain = try place.read("policies/keys/api.pem") + place.read("policies/keys/example-intermediate.pem")
    try place.write(chain, to: "policies/chains/api.pem")
    let option = name == "coverage" ? " --coverage" : ""
    let result = try place.run("pintle test policies --at 2026-12-01 --format json\(option)")
    #expect(result.status == 2)
    let file = TranscriptTests.folder.deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fixtures/test-results/valid/\(name).json")
    if ProcessInfo.processInfo.environment["PINTLE_RECORD"] == "1" {
      try Data(result.stdoutText.utf8).write(to: file)
      return
    }
    #expect(result.stdoutText == (try String(contentsOf: file, encoding: .utf8)))
  }
}
