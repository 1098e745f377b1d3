import PinRotation
import RotationWorlds
import TestSupport
import Testing

/// Plans of small worlds, against all other sequences of steps that there are.
@Suite("A plan, by brute force")
struct PlanWorldTests {
  /// Worlds in which mistakes of the oracle show, each in one at least.
  ///
  /// The others are searched only for a mistake that shows in none of these.
  private static let telling = [
    "two hosts": [512_032, 752_047, 368_023], "unlike hosts": [0], "clocks": [1_072_067, 1_296_081, 2_528_158],
    "chains": [180_611], "untidy": [95_855, 0, 208_013], "steps": [3_856, 11_086, 43_380, 2_892],
    "subtrees": [434, 8_330],
  ]

  /// A sample of the families' worlds is checked here; all of them by `Scripts/test --full`, in an optimised build.
  private static let stride = 4_001

  @Test("is safe, and none is shorter or earlier", arguments: PlanFamily.all)
  func best(family: PlanFamily) throws {
    let tally = try family.compare(Swift.stride(from: 0, to: family.count, by: Self.stride))
    print("\(family.name): \(tally.text)")
    #expect(tally.examples == [])
    #expect(tally.worlds >= 15)
  }

  @Test("of a policy is safe, and none is shorter or earlier", arguments: zip(PolicyPlanFamily.all, [967, 127]))
  func best(family: PolicyPlanFamily, stride: Int) throws {
    let tally = try family.compare(Swift.stride(from: 0, to: family.count, by: stride))
    print("\(family.name): \(tally.text)")
    #expect(tally.examples == [])
    #expect(tally.worlds >= 50)
    #expect((tally.lengths[0] ?? 0) < tally.worlds / 2)
  }

  /// The comparison can fail: with each mistake in the oracle it does.
  @Test("isn't what an oracle with a mistake asks for", arguments: PlanOracle.Mistake.allCases)
  func mistakes(mistake: PlanOracle.Mistake) throws {
    func isFound(every stride: Int) throws -> Bool {
      try PlanFamily.all.contains { family in
        try Self.parts(family.count, every: stride).contains {
          try family.compare($0, mistake: mistake).disagreements > 0
        }
      }
    }
    func isFoundInPolicies() throws -> Bool {
      try PolicyPlanFamily.all.reversed().contains { family in
        try Self.parts(family.count, every: family.count / 300 | 1).contains {
          try family.compare($0, mistake: mistake).disagreements > 0
        }
      }
    }
    func isTold() throws -> Bool {
      try PlanFamily.all.contains {
        try $0.compare(Self.telling[$0.name, default: []], mistake: mistake).disagreements > 0
      }
        || PolicyPlanFamily.all.contains {
          try $0.compare(Self.telling[$0.name, default: []], mistake: mistake).disagreements > 0
        }
    }
    // The smaller families first.
    #expect(try isTold() || isFound(every: 16_001) || isFoundInPolicies() || isFound(every: 1_009))
  }

  /// Nor is it where the oracle takes servers to present something else.
  @Test(
    "of a policy isn't what an oracle with a mistake about servers asks for",
    arguments: [
      PolicyOracle.Mistake.keysToComeArePresented, .oneKeyOfAPairIsEnough, .subtreesAreLeftOut, .olderAreNotAsked,
      .backupsAreNeverServed,
    ])
  func assumptions(mistake: PolicyOracle.Mistake) throws {
    let isTold = try PolicyPlanFamily.all.contains {
      try $0.compare(Self.telling[$0.name, default: []], assumption: mistake).disagreements > 0
    }
    let isFound =
      try isTold
      || zip(PolicyPlanFamily.all, [241, 31]).contains { family, stride in
        try Self.parts(family.count, every: stride).contains {
          try family.compare($0, assumption: mistake).disagreements > 0
        }
      }
    #expect(isFound)
  }

  /// Every so manieth number, a few at a time.
  private static func parts(_ count: Int, every stride: Int) -> some Sequence<StrideTo<Int>> {
    Swift.stride(from: 0, to: count, by: stride * 20).lazy.map {
      Swift.stride(from: $0, to: min(count, $0 + stride * 20), by: stride)
    }
  }

  /// Larger worlds, in which not all sequences can be tried: but no step may be left out, or be a tick earlier.
  @Test("of a larger world is safe, and no step can be left out or be earlier", arguments: 0..<8)
  func larger(part: Int) throws {
    var chance = SeededGenerator(seed: 0x504C_414E + UInt64(part))
    let forge = try Forge()
    var steps = 0
    let worlds = Thoroughness.pick(10, full: 60)
    for number in 0..<worlds {
      let world = PlanWorld.random(&chance)
      let oracle = PlanOracle(world)
      let plan: [DatedStep]
      do {
        let question = try world.question(forge)
        plan = try #require(question.steps(of: try question.plan()))
      } catch RotationPlanError.unsafe(let witness) {
        // If the simulation shows a lockout, the oracle must not have a plan.
        #expect(oracle.locksOutAnyway, "\(number): \(world) \(witness)")
        continue
      }
      try #require(oracle.objection(to: plan) == nil, "\(number): \(world) \(plan)")
      steps += plan.count
      for place in plan.indices {
        var shorter = plan
        shorter.remove(at: place)
        #expect(oracle.objection(to: shorter) != nil, "\(number): \(world) \(plan) without step \(place)")
        guard plan[place].tick > (place == 0 ? 0 : plan[place - 1].tick) else { continue }
        var earlier = plan
        earlier[place].tick -= 1
        #expect(oracle.objection(to: earlier) != nil, "\(number): \(world) \(plan) with step \(place) earlier")
      }
    }
    #expect(steps >= worlds)
  }
}
