import Diagnostics
import Foundation
import PinFormat
import PinPolicy
import PinProbe
import PinRules
import Testing

/// A record that is judged in pieces has the findings and the summary of one that is judged as a whole.
@Suite("A fleet in pieces")
struct FleetCheckTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/examples/probing").path()

  @Test(arguments: [MinimumSuccess.all, .percent(60), .percent(70), .count(0), .count(2), .count(3)], [1, 2, 4_096])
  func findingsAreTheSame(_ minimum: MinimumSuccess, _ most: Int) throws {
    let good = Self.folder + "/policies"
    let changed = try Self.policyWithABackupInUse(good)
    defer { try? FileManager.default.removeItem(atPath: changed) }
    for (at, policies) in [
      ("2026-11-22", good), ("2027-03-01", good), ("2026-11-20", good), ("2026-11-22", nil), ("2026-11-22", changed),
    ] as [(String, String?)] {
      let instant = try #require(Instant(written: at))
      let source = try policies.map { try LoadedPolicy.load([$0]) } ?? .none()
      let path = Self.folder + "/evidence.json"
      let evidence = try EvidenceFile.read(path)
      let places = LivePlaces(of: evidence, in: source)
      let whole = try PinRules.LiveCheck(
        policy: places.source, evidence: evidence, minimumSuccess: minimum, places: places.places,
        coversPolicy: policies != nil, rules: Rule.catalogue.filter { $0.family == .live }, instant: instant
      ).run()
      let fleet = try FleetCheck(
        policy: source, EvidencePieces(path, most: most), stores: [], minimumSuccess: minimum,
        coversPolicy: policies != nil, instant: instant)
      let found = try fleet.run()
      #expect(found.result.diagnostics == whole.result.diagnostics)
      #expect(found.result.suppressed.map(\.diagnostic) == whole.result.suppressed.map(\.diagnostic))
      #expect(found.result.rules.map(\.code) == whole.result.rules.map(\.code))
      let assessment = try #require(whole.assessment)
      #expect(found.summary?.outcome == ProbeSummary(assessment).outcome)
      #expect(found.summary?.record == ProbeSummary(assessment).record)
      #expect(!found.isEmpty && !whole.result.diagnostics.isEmpty)
      #expect(whole.result.diagnostics.contains { $0.code == "P525" } == (policies == changed))
      // Without a policy, only hosts of pieces in which something was found are kept.
      let hosts = Set(evidence.targets.map(\.host.text))
      #expect(policies == nil ? found.hosts.isSubset(of: hosts) && !found.hosts.isEmpty : found.hosts == hosts)
    }
  }

  /// The policy, with the key of two hosts as the backup of a third, which is in another piece.
  private static func policyWithABackupInUse(_ folder: String) throws -> String {
    let copy = FileManager.default.temporaryDirectory.appending(path: "pintle-fleet-\(UUID().uuidString)")
    try FileManager.default.copyItem(atPath: folder, toPath: copy.path())
    let file = copy.appending(path: "payments.yaml")
    let text = try String(contentsOf: file, encoding: .utf8)
      .replacing("keys: { active: [api], backup: [spare] }", with: "keys: { active: [api], backup: [shop] }")
    try Data(text.utf8).write(to: file)
    return copy.path()
  }
}
