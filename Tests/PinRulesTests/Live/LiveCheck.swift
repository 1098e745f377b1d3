import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRules

@testable import PinRules

/// What checking a policy against servers made up for a test says.
struct LiveCheck {
  let result: Checker.Result

  /// The lines follow the keys of ``Example/live(_:_:_:)``, so they begin on line 5.
  init(
    _ hosts: String, _ scenes: [EvidenceRecorder.Scene], at instant: String = "2026-11-22T00:00:00Z",
    _ change: (inout LiveInput) throws -> Void = { _ in }
  ) throws {
    let text = Example.live("", "", hosts).files[0].text
    let sources = SourceSet([SourceSet.File(path: "policy.yaml", bytes: Array(text.utf8))])
    let policy = try Resolver.resolve(PolicyReader.read(sources), files: ExampleCheck.keyFiles)
    let instant = Instant(instant.utf8) ?? .earliest
    let input = CheckInput(policy: policy, at: instant)
    let manifest = try CheckedPolicy.check(input).checked?.rehearsed(at: instant)
    let evidence = try EvidenceRecorder.evidence(of: scenes)
    var live = LiveInput(assessment: try Judge(manifest: manifest, stores: []).assess(evidence, at: instant))
    try change(&live)
    result = Checker.check(CheckInput(policy: policy, live: live, at: instant))
  }

  /// `P504 error 6:11 'legacy.example.com:443' …` for each finding about live servers.
  var findings: [String] { Self.live(result.diagnostics).map { Self.text($0) } }

  var suppressed: [String] { Self.live(result.suppressed.map(\.diagnostic)).map { Self.text($0) } }

  func first(_ code: String) -> Diagnostic? { result.diagnostics.first { $0.code == code } }

  private static func live(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    diagnostics.filter { $0.code.hasPrefix("P5") }
  }

  private static func text(_ finding: Diagnostic) -> String {
    "\(finding.code) \(finding.severity.rawValue) \(finding.place.start.line) \(finding.message)"
  }
}
