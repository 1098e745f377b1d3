import RotationWorlds
import TestSupport
import Testing

/// The engine against the oracle, in worlds by chance.
@Suite("Worlds by chance")
struct RandomWorldTests {
  @Test("come out alike with the engine and the oracle", arguments: 0..<8)
  func agree(_ seed: Int) throws {
    var chance = SeededGenerator(seed: UInt64(seed))
    let forge = try Forge()
    for _ in 0..<Thoroughness.pick(5, full: 25) {
      let world = PlainWorld.random(&chance)
      let comparison = try Comparison(world, forge)
      guard comparison.differences.isEmpty else {
        Issue.record("\(world)\n\(comparison.differences.joined(separator: "\n"))")
        return
      }
    }
  }

  /// What is too rare here is in SmallWorldTests: a release that alone gives a key its position and that nobody runs any
  /// more, and an active key and a backup in different halves of the chain.
  @Test(
    "come out otherwise once the oracle makes a mistake",
    arguments: Oracle.Mistake.allCases.filter {
      ![.positionsAreForgotten, .halvesAreListedApart].contains($0)
    })
  func mistakesAreFound(_ mistake: Oracle.Mistake) throws {
    let forge = try Forge()
    // The first twelve show each mistake; the others are tried only if one of them no longer does.
    let seeds: [UInt64] = [3, 6, 8, 11, 12, 13, 42, 49, 73, 99, 112, 163] + Array(0..<1_000)
    let isFound = try seeds.contains { seed in
      var chance = SeededGenerator(seed: seed)
      return try !Comparison(PlainWorld.random(&chance), forge, mistake: mistake).differences.isEmpty
    }
    #expect(isFound)
  }

  @Test("are neither all safe nor all unsafe, and so with the losses")
  func variety() throws {
    var chance = SeededGenerator(seed: 2)
    let oracles = (0..<200).map { _ in Oracle(PlainWorld.random(&chance)) }
    let safe = oracles.filter(\.isSafe)
    let resilient = safe.filter(\.isResilient)
    #expect(safe.count > 40 && safe.count < 160)
    #expect(resilient.count > 10 && resilient.count < safe.count - 5, "\(resilient.count) of \(safe.count)")
  }
}
