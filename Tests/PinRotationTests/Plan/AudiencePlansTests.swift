import PinRotation
import RotationWorlds
import TestSupport
import Testing

/// Plans of several audiences that connect to the same servers, by what the oracle of plans says of each.
@Suite("The plans of several audiences")
struct AudiencePlansTests {
  /// How the audiences are asked.
  enum Way: CaseIterable {
    case asBuilt
    /// A mistake: only the first one is asked.
    case firstOnly
  }

  /// What was found out about some rotations.
  private struct Tally {
    var rotations = 0
    /// Those in which somebody has to wait for another audience.
    var waits = 0
    var objections: [String] = []
  }

  @Test("agree on when servers change: nobody of any audience is locked out, and nobody waits a tick too long")
  func agree() throws {
    let tally = try Self.tally(.asBuilt, rotations: Thoroughness.pick(40, full: 1_000))
    #expect(tally.objections == [])
    #expect(tally.waits * 4 >= tally.rotations)
  }

  @Test("lock somebody out where only one audience is asked")
  func mistake() throws {
    #expect(try Self.tally(.firstOnly, rotations: 40).objections.count >= 10)
  }

  struct Emergency: CustomTestStringConvertible, Sendable {
    var testDescription: String
    /// The keys of the first audience's clients beside the stolen one, and those of the second's.
    var first: [PlainKey]
    var second: [PlainKey]
    var plans: [String]
  }

  /// Key 1 is stolen, and the servers are to come to key 3.
  static let emergencies = [
    Emergency(
      testDescription: "a backup that all have is a refuge, also for those who have the target", first: [backup(2)],
      second: [backup(2), backup(3)],
      plans: [
        "serve 2 for refuge @0; release +3,4 -1 !1 @0; serve 3 @10<0",
        "serve 2 for refuge @0; release +4 -1 !1 @0; serve 3 @10<first",
      ]),
    Emergency(
      testDescription: "a backup that only one has is none", first: [backup(2)], second: [backup(4)],
      plans: [
        "release +3,4 ~1 @0; serve 3 @10<0; release -1 !1 @10", "release +2,3 ~1 @0; serve 3 @10<0; release -1 !1 @10",
      ]),
    Emergency(
      testDescription: "of two backups, that which all have is the refuge", first: [backup(2), backup(4)],
      second: [backup(4)],
      plans: [
        "serve 4 for refuge @0; release +3 -1 !1 @0; serve 3 @10<0",
        "serve 4 for refuge @0; release +2,3 -1 !1 @0; serve 3 @10<0",
      ]),
  ]

  private static func backup(_ number: Int) -> PlainKey { PlainKey(number, backup: true) }

  @Test("take refuge in what the clients of all audiences have", arguments: emergencies)
  func refuges(row: Emergency) throws {
    let worlds = [row.first, row.second].map { keys in
      RotationPlannerTests.world([
        PlainRelease(.released, issued: -50, [PlainEntry("a.test", keys: [1] + keys)]),
        PlainRelease(
          .candidate, issued: 0, [PlainEntry("a.test", keys: [1, Self.backup(2), Self.backup(3), Self.backup(4)])],
          denied: [1]),
      ])
    }
    for order in [[0, 1], [1, 0]] {
      let names = order.map { ["first", "second"][$0] }
      let found = try PlanAgreement.find(among: names) { number, bounds in
        try worlds[order[number]].plan(to: 3, after: bounds)
      }
      let plans = try #require(found).plans
      for (number, plan) in zip(order, plans) { #expect("\(PlanText(plan: try #require(plan)))" == row.plans[number]) }
    }
  }

  private static func tally(_ way: Way, rotations: Int) throws -> Tally {
    var chance = SeededGenerator(seed: 0x4155_4449)
    let forge = try Forge()
    var tally = Tally()
    while tally.rotations < rotations {
      let worlds = worlds(&chance)
      let questions = try worlds.map { try $0.question(forge) }
      func plans(after bounds: [RotationBound]) -> [RotationPlan]? {
        try? questions.map { try $0.plan(after: bounds) }
      }
      guard plans(after: []) != nil else { continue }
      let asked = way == .firstOnly ? 1 : worlds.count
      let agreement = try PlanAgreement.find(among: (0..<asked).map(String.init)) { number, bounds in
        try questions[number].plan(after: bounds)
      }
      guard let agreement, let plans = plans(after: agreement.bounds) else {
        tally.objections.append("no agreement: \(worlds)")
        continue
      }
      let steps = try zip(questions, plans).map { try #require($0.steps(of: $1)) }
      // The servers are the same ones, so they change when the first plan says.
      guard let change = steps[0].first(where: \.isChange)?.tick else { continue }
      tally.rotations += 1
      if plans.contains(where: { $0.steps.contains { if case .audience = $0.reason { true } else { false } } }) {
        tally.waits += 1
      }
      let objections = zip(worlds, steps).compactMap { world, steps in
        PlanOracle(world).objection(to: steps.served(at: change))
      }
      tally.objections += objections.map { "\($0): \(worlds)" }
      guard objections.isEmpty, change > 0 else { continue }
      let isNeeded = zip(worlds, steps).contains { world, steps in
        PlanOracle(world).objection(to: steps.served(at: change - 1)) != nil
      }
      if !isNeeded { tally.objections.append("the change may be at \(change - 1): \(worlds)") }
    }
    return tally
  }

  /// Two or three audiences with releases and windows of their own, and the same servers and policy.
  private static func worlds(_ chance: inout SeededGenerator) -> [PlanWorld] {
    let first = PlanWorld.random(&chance)
    var worlds = [first]
    for _ in 0...chance.below(2) {
      var other = PlanWorld.random(&chance)
      while other.hosts.count != first.hosts.count { other = PlanWorld.random(&chance) }
      (other.hosts, other.policy, other.leaving) = (first.hosts, first.policy, first.leaving)
      worlds.append(other)
    }
    return worlds
  }
}

extension DatedStep {
  fileprivate var isChange: Bool {
    if case .serve = step { true } else { false }
  }
}

extension [DatedStep] {
  /// The steps with the servers' change at another tick; what is released before it is released as early as it was.
  fileprivate func served(at tick: Int) -> [DatedStep] {
    map { $0.isChange ? DatedStep($0.step, at: tick) : $0 }.enumerated()
      .sorted { ($0.element.tick, $0.offset) < ($1.element.tick, $1.offset) }.map(\.element)
  }
}
