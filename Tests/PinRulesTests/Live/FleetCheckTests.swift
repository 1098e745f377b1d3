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

  /// Records that rules about the whole fleet speak of.
  enum Kind: CaseIterable {
    case asIs
    /// Some servers weren't asked with all offers; the first one was.
    case withGaps
    case stoppedEarly
    /// A piece of a larger fleet.
    case shard
    /// Many hosts present the key that the changed policy has for a backup.
    case sharedKey
  }

  @Test(
    arguments: [MinimumSuccess.all, .percent(60), .percent(70), .count(0), .count(2), .count(3)], Kind.allCases)
  func findingsAreTheSame(_ minimum: MinimumSuccess, _ kind: Kind) throws {
    let good = Self.folder + "/policies"
    let changed = try Self.policyWithABackupInUse(good)
    defer { try? FileManager.default.removeItem(atPath: changed) }
    let evidence = try Self.record(kind)
    let file = FileManager.default.temporaryDirectory.appending(path: "pintle-fleet-\(UUID().uuidString).json")
    try Data(evidence.encoded()).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    var codes: Set<String> = []
    for (at, policies) in [
      ("2026-11-22", good), ("2027-03-01", good), ("2026-11-20", good), ("2026-11-22", nil), ("2026-11-20", nil),
      ("2026-11-22", changed),
    ] as [(String, String?)] {
      let instant = try #require(Instant(written: at))
      let source = try policies.map { try LoadedPolicy.load([$0]) } ?? .none()
      let places = LivePlaces(of: evidence, in: source)
      let whole = try PinRules.LiveCheck(
        policy: places.source, evidence: evidence, minimumSuccess: minimum, places: places.places,
        coversPolicy: policies != nil, rules: Rule.catalogue.filter { $0.family == .live }, instant: instant
      ).run()
      let assessment = try #require(whole.assessment)
      codes.formUnion(whole.result.diagnostics.map(\.code))
      #expect(whole.result.diagnostics.contains { $0.code == "P525" } == (policies == changed))
      for most in [1, 2, 4_096] {
        let fleet = try FleetCheck(
          policy: source, EvidencePieces(file.path(), most: most), stores: [], minimumSuccess: minimum,
          coversPolicy: policies != nil, instant: instant)
        let found = try fleet.run()
        #expect(found.result.diagnostics == whole.result.diagnostics)
        #expect(found.result.suppressed.map(\.diagnostic) == whole.result.suppressed.map(\.diagnostic))
        #expect(found.result.rules.map(\.code) == whole.result.rules.map(\.code))
        #expect(found.summary?.outcome == ProbeSummary(assessment).outcome)
        #expect(found.summary?.record == ProbeSummary(assessment).record)
        #expect(!found.isEmpty && (kind != .asIs || !whole.result.diagnostics.isEmpty))
        // Findings of one cause are shown together in both.
        func groups(_ result: Checker.Result, _ hosts: Set<String>) -> [[Diagnostic]] {
          var report = Report(
            diagnostics: result.diagnostics, sources: places.source.policy.sources,
            tool: Report.Tool(name: "test", version: "1"), instant: at)
          report.hosts = hosts
          return FindingGroup.all(in: report).map { [$0.first] + $0.others }
        }
        let hosts = Set(evidence.targets.map(\.host.text))
        #expect(groups(found.result, found.hosts) == groups(whole.result, hosts))
      }
    }
    #expect(codes.contains("P538") == [.withGaps, .stoppedEarly, .shard].contains(kind), "\(codes)")
  }

  /// The example's record, or one like it.
  private static func record(_ kind: Kind) throws -> Evidence {
    var evidence = try EvidenceFile.read(folder + "/evidence.json")
    switch kind {
    case .asIs: break
    case .withGaps:
      for target in evidence.targets.indices.dropFirst() {
        for address in evidence.targets[target].addresses.indices {
          evidence.targets[target].addresses[address].visits.removeLast(target)
        }
      }
    case .stoppedEarly: evidence.isPartial = true
    case .shard:
      evidence.targets.remove(at: 1)
      evidence.shards = [Evidence.Shard(number: 2, count: 3)]
    case .sharedKey:
      for name in ["a.example.com", "b.example.com", "q.example.com", "x.example.com", "y.example.com"] {
        var copy = evidence.targets[2]
        copy.host = try HostName(canonicalising: name)
        evidence.targets.append(copy)
      }
    }
    return evidence.canonical
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
