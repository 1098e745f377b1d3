import Diagnostics
import PinFormat
import PinRotation
import PinValidator
import Testing

@testable import PinRules
@testable import PinRelease
@testable import PinStudies

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

  /// Rejects each chain with one of some keys.
  private struct Rejecting: ChainJudge {
    var pins: Set<Pin>

    func releasesApart(at host: HostName, _ port: UInt16) -> [Int] { [] }

    func certificate(of key: Pin, at host: HostName, _ port: UInt16) -> SHA256Digest? { nil }

    func trust(
      in chain: PresentedChain, _ setup: ServerSetup, at host: HostName, _ port: UInt16, byRelease number: Int?,
      without lost: Set<Pin>, on instant: Instant
    ) -> Landing.Trust {
      guard chain.pins.contains(where: { $0.map(pins.contains) ?? false }) else { return .trusted(chain) }
      return .refused("its key is too short", chain, failures: [TrustFailure(.weakKey, "its key is too short")])
    }
  }

  @Test("a chain that the pins match is lost if clients reject it, unless they reject the present one as well")
  func rejected() throws {
    let scene = FutureScene("ij").with {
      $0.observed = ["lir"]
      $0.known = ["i": ["successors: [{ key: j, from: 2027-01-02, source: it }]"]]
    }
    func futures(rejecting letters: String) throws -> [String] {
      try scene.with { $0.judge = Rejecting(pins: Set(letters.map(RotationScene.pin))) }.futures()
    }
    #expect(try futures(rejecting: "") == ["intermediate i"])
    #expect(try futures(rejecting: "j") == ["successor 2027-01-02 i to j"])
    #expect(try futures(rejecting: "ij") == ["intermediate i"])
    // A report-only entry reports what its pins don't match, but blocks what trust evaluation rejects.
    let trial = scene.with { ($0.entry, $0.judge) = ("mode: report-only", Rejecting(pins: [RotationScene.pin("j")])) }
    #expect(try trial.futures() == ["successor 2027-01-02 i to j"])
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
