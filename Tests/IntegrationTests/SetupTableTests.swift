import PinRules
import TestSupport
import Testing

/// The table of server set-ups: what `pintle probe` says of each, live, from its record, and in `check`.
struct SetupTableTests {
  @Test(arguments: Setup.table)
  func givesItsFindings(_ setup: Setup) throws {
    let run = try SetupRun(setup, in: .standing())
    let found = run.live.findings.map { "\($0.code) \($0.severity)" }.sorted()
    let expected = setup.expected.map { "\($0.code) \($0.severity)" }.sorted()
    #expect(found == expected, "\(run.live)")
    for finding in setup.expected {
      let texts = run.live.findings.filter { $0.code == finding.code }.map(\.text)
      #expect(
        texts.contains { text in finding.words.allSatisfy { text.contains($0) } },
        "\(finding.code) should name \(finding.words)\n\(run.live)")
    }
    #expect(run.live.status == setup.status, "\(run.live)")
    #expect(run.replay.output == run.live.output, "live: \(run.live)\nreplayed: \(run.replay)")
    #expect(run.replay.status == run.live.status)
    #expect(run.check.findings == run.live.findings, "live: \(run.live)\nchecked: \(run.check)")
  }

  @Test func theTableCoversEveryLiveRule() {
    let live = Rule.catalogue.filter { $0.family == .live }.map(\.code)
    let covered = Set(Setup.table.flatMap(\.expected).map(\.code))
    #expect(live.filter { !covered.contains($0) } == [])
    #expect(covered.filter { !live.contains($0) } == [])
  }

  @Test func eachNameStandsOnce() {
    let names = Setup.table.map(\.name)
    #expect(names.count == Set(names).count)
    #expect(names.count >= 30)
  }
}
