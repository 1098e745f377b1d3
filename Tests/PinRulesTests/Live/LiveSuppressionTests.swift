import Diagnostics
import PinFormat
import PinProbe
import PinRules
import Testing

@Suite("Suppressions of findings about live servers")
struct LiveSuppressionTests {
  typealias Scene = EvidenceRecorder.Scene

  private static func hosts(_ code: String) -> String {
    """
    hosts:
      - host: legacy.example.com  # pintle:allow \(code) until 2026-12-15: the vendor renews it
        keys: { active: [example-root], backup: [other-root] }
    """
  }

  private static var scene: Scene {
    var scene = Scene.at(LiveTrustTests.expired)
    scene.host = "legacy.example.com"
    return scene
  }

  @Test func accepted() throws {
    let check = try LiveCheck(Self.hosts("P504"), [Self.scene])
    #expect(check.findings == [])
    #expect(
      check.suppressed == [
        "P504 error 6 'legacy.example.com:443' sends a certificate that expired at 2026-11-01T00:00:00Z"
      ])
    #expect(check.first("P410") == nil)
  }

  @Test func unusedOnlyWhereTheRulesWereAsked() throws {
    #expect(try LiveCheck(Self.hosts("P506"), [Self.scene]).first("P410") != nil)
    let shard = try LiveCheck(Self.hosts("P506"), [Self.scene]) {
      $0.assessment.shards = [Evidence.Shard(number: 1, count: 2)]
    }
    #expect(shard.first("P410") == nil)
    let offline = try ExampleCheck(
      """
      version: 1
      keys:
        example-root: { file: keys/example-root.pem }
        other-root: { file: keys/other-root.pem }
      \(Self.hosts("P506"))
      """)
    #expect(offline.diagnostics(of: "P410") == [])
  }

  /// A report lists the rules that were asked.
  @Test func rulesThatWereAsked() throws {
    #expect(try LiveCheck(Self.hosts("P504"), [Self.scene]).result.rules.contains { $0.code == "P504" })
    let offline = Checker.check(CheckInput(policy: try Handmade.policy(), at: Handmade.instant))
    #expect(!offline.rules.contains { $0.code.hasPrefix("P5") })
    #expect(offline.rules.count > 50)
  }
}
