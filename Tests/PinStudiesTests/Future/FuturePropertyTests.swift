import TestSupport
import Testing

@testable import PinRules
@testable import PinStudies

/// Futures against brute force, in worlds by chance.
@Suite("Futures are those that brute force finds")
struct FuturePropertyTests {
  @Test(arguments: 0..<3)
  func agrees(_ seed: Int) throws {
    var chance = SeededGenerator(seed: UInt64(4_200 + seed))
    var kinds: [String: Int] = [:]
    for _ in 0..<Thoroughness.pick(250, full: 2_000) {
      let oracle = FutureOracle.random(&chance)
      let expected = oracle.futures
      #expect(try oracle.scene.futures().sorted() == expected, "\(oracle)")
      for future in expected { kinds[String(future.prefix { $0 != " " }), default: 0] += 1 }
      if expected.isEmpty { kinds["none", default: 0] += 1 }
    }
    // Each kind comes up, and so does nothing.
    #expect(kinds.count == 6, "\(kinds)")
  }
}
