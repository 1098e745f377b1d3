import Diagnostics
import PinCompiler
import PinFormat
import PinPolicy
import PinRotation
import PinRules
import PinValidator
import RotationWorlds
import TestSupport
import Testing

/// The rules against the oracle: an error of theirs where, and only where, something new locks somebody out.
@Suite("Rules about rotation")
struct RotationWorldTests {
  /// Those that tell lockouts as errors; each lockout is told by one of them.
  static let codes: Set<String> = ["P601", "P602", "P603", "P604", "P607", "P613"]

  @Test("have an error exactly where a world by chance isn't safe", arguments: 0..<4)
  func byChance(_ seed: Int) throws {
    var chance = SeededGenerator(seed: UInt64(100 + seed))
    let forge = try Forge()
    var unsafe = 0
    for _ in 0..<40 {
      let world = PlainWorld.random(&chance)
      guard world.releases.first?.origin == .released else { continue }
      let expected = Oracle(world).lockouts().contains { $0.isEvery && !$0.isStanding }
      let found = try errors(world, forge)
      #expect(!found.isEmpty == expected, "\(world)\n\(found)")
      if expected { unsafe += 1 }
    }
    #expect(unsafe > 5 && unsafe < 35)
  }

  @Test("have an error exactly where a small world isn't safe", arguments: [(1, 0), (2, 0), (1, 1)])
  func small(_ released: Int, _ planned: Int) throws {
    let contents = SmallContent.ofTheChild
    let clocks = SmallClock.all(released: released, planned: planned, changes: 0...2, span: 6)
    var chance = SeededGenerator(seed: UInt64(released * 10 + planned))
    let forge = try Forge()
    for _ in 0..<80 {
      let clock = chance.pick(clocks)
      let world = clock.world(clock.issued.map { _ in chance.pick(contents) }, chance.pick(clock.timelines))
      let expected = Oracle(world).lockouts().contains { $0.isEvery && !$0.isStanding }
      let found = try errors(world, forge)
      #expect(!found.isEmpty == expected, "\(world)\n\(found)")
    }
  }

  /// The codes of the errors that the rules have.
  private func errors(_ world: PlainWorld, _ forge: Forge) throws -> [String] {
    let scenario = try world.scenario(forge)
    let newest = try #require(scenario.releases.last { $0.origin == .released }).manifest.manifest
    let candidate = scenario.releases.first { $0.origin == .candidate }?.manifest.manifest ?? newest
    let rotation = RotationInput(
      scenario: scenario, lockouts: Simulation(scenario).lockouts(), losses: [],
      changes: ManifestChanges(from: newest, to: candidate), newest: newest, historyProblems: [],
      allowsMassChange: true)
    // What the policy says is the candidate already; here it only gives findings a place.
    let policy = try Resolver.resolve(
      PolicyReader.read(SourceSet([SourceSet.File(path: "policy.yaml", bytes: Array("hosts: []\n".utf8))])),
      files: ExampleCheck.keyFiles)
    let result = Checker.check(CheckInput(policy: policy, rotation: rotation, at: scenario.now))
    return result.diagnostics.filter { $0.severity == .error && Self.codes.contains($0.code) }.map(\.code)
  }
}
