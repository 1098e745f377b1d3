import Diagnostics
import PinRotation
import Testing

@testable import PinRules

/// Futures of hosts that trust something else than public CAs, and what futures leave alone.
@Suite("Futures and the rest")
struct FutureTrustTests {
  @Test("what public CAs do doesn't concern a host with anchors of its own, but a renewal does")
  func ownAnchors() throws {
    let scene = FutureScene("i").with {
      ($0.entry, $0.observed) = ("trust: { anchors: [keys/example-root.pem] }", ["lir"])
      $0.known = ["i": ["successors: [{ key: j, from: 2027-01-10, source: it }]"]]
    }
    #expect(try scene.futures() == [])
    #expect(try scene.with { $0.entry = "" }.futures() == ["successor 2027-01-10 i to j"])
    #expect(try scene.with { $0.active = "l" }.futures() == ["renewal l"])
    let both = scene.with { $0.entry = "trust: { anchors: [system, keys/example-root.pem] }" }
    #expect(try both.futures() == ["successor 2027-01-10 i to j"])
  }

  @Test("one certificate that an entry names isn't renewed")
  func oneCertificate() throws {
    let text = RotationScene.text(
      keys: ["  api: { file: keys/api.pem }", RotationScene.key("z")],
      hosts: ["host: a.test, keys: { active: [api], backup: [z] }, trust: { certificate: keys/api.pem }"])
    let question = try RotationScene.question(text)
    let study = try RotationStudy(question, compiler: "pintle test")
    #expect(study.scenario.servers.count == 1)
    #expect(study.futures() == [])
  }

  /// The scenario has the same lockouts, and the rules the same errors, whatever futures are played.
  @Test("lockouts and errors are the same with futures and without", arguments: ["l", "i", "r", "lr"])
  func beside(active: String) throws {
    let scene = FutureScene(active, before: "t").with {
      $0.known = ["r": ["successors: [{ key: s, from: 2027-01-10, source: it }]"]]
    }
    var errors: [[String]] = []
    var lockouts: [[Lockout]] = []
    var warnings = 0
    for choice in FutureChoice.allCases {
      let (_, question) = try scene.with { $0.choice = choice }.world()
      let study = try RotationStudy(question, compiler: "pintle test")
      let comparison = try #require(study.comparison())
      let found = study.findings(on: comparison, allowsMassChange: true).diagnostics
      let isFuture = { (code: String) in "P621"..."P625" ~= code }
      warnings += found.count { isFuture($0.code) }
      #expect(found.allSatisfy { !isFuture($0.code) || $0.severity < .error })
      errors.append(found.filter { $0.severity == .error }.map { $0.code + $0.message })
      lockouts.append(study.lockouts)
    }
    #expect(Set(errors).count == 1 && Set(lockouts).count == 1)
    #expect(warnings > 0 || active == "lr")
  }
}
