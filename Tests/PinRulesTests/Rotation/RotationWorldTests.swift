import Diagnostics
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
  /// The rules that report lockouts as errors; each lockout is reported by one of them.
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

  /// What `rotate` says to release first passes `diff`.
  ///
  /// If it removes something from many hosts, only that is reported, and the plan says so.
  @Test("have no error for the first release of a plan", arguments: PlanFamily.all)
  func plans(family: PlanFamily) throws {
    let stride = Thoroughness.pick(family.count > 1_000_000 ? 4_001 : 997, full: 101)
    try expectNoError(Swift.stride(from: 0, to: family.count, by: stride)) { number, forge in
      try family.world(number)?.question(forge)
    }
  }

  @Test("have no error for the first release of a policy's plan", arguments: PolicyPlanFamily.all)
  func plans(family: PolicyPlanFamily) throws {
    let stride = family.count / Thoroughness.pick(80, full: 5_000) | 1
    try expectNoError(Swift.stride(from: 0, to: family.count, by: stride)) { number, _ in
      try family.world(number)?.planQuestion()
    }
  }

  private func expectNoError(
    _ numbers: some Sequence<Int>, _ question: (Int, Forge) throws -> PlanQuestion?
  ) throws {
    let forge = try Forge()
    var checked = 0
    for number in numbers {
      guard let question = try question(number, forge) else { continue }
      let plan: RotationPlan
      do { plan = try question.plan() } catch is RotationPlanError { continue }
      guard let scenario = try question.firstRelease(of: plan, forge),
        let newest = scenario.releases.last(where: { $0.origin == .released })?.manifest.manifest,
        let candidate = scenario.releases.last?.manifest.manifest
      else { continue }
      let found = try check(scenario, allowsMassChange: false).filter {
        $0.severity == .error && $0.code.hasPrefix("P6")
      }
      let isAnnounced = ManifestChanges(from: newest, to: candidate).isMassChange
      #expect(
        found.map(\.code) == (isAnnounced ? ["P611"] : []), "\(number): \(found.map(\.message))\n\(question.world)")
      checked += 1
    }
    #expect(checked > 2)
  }

  /// The codes of the errors that the rules have.
  private func errors(_ world: PlainWorld, _ forge: Forge) throws -> [String] {
    try check(try world.scenario(forge), allowsMassChange: true)
      .filter { $0.severity == .error && Self.codes.contains($0.code) }.map(\.code)
  }

  private func check(_ scenario: Scenario, allowsMassChange: Bool) throws -> [Diagnostic] {
    let newest = try #require(scenario.releases.last { $0.origin == .released }).manifest.manifest
    let candidate = scenario.releases.first { $0.origin == .candidate }?.manifest.manifest ?? newest
    let rotation = RotationInput(
      scenario: scenario, lockouts: Simulation(scenario).lockouts(), losses: [],
      changes: ManifestChanges(from: newest, to: candidate), newest: newest, historyProblems: [],
      allowsMassChange: allowsMassChange)
    // The candidate has the policy's content already; the policy only gives findings a place.
    let policy = try Resolver.resolve(
      PolicyReader.read(SourceSet([SourceSet.File(path: "policy.yaml", bytes: Array("hosts: []\n".utf8))])),
      files: ExampleCheck.keyFiles)
    return Checker.check(CheckInput(policy: policy, rotation: rotation, at: scenario.now)).diagnostics
  }
}
