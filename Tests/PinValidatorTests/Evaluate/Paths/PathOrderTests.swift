import PinFormat
import PinValidator
import TestSupport
import Testing

/// The answer depends on the certificates alone: not on their order, and not on how often each was sent.
@Suite struct PathOrderTests {
  private static let worlds = Thoroughness.pick(24, full: 2_000)

  @Test func everyOrderGivesTheAnswerOfTheOracle() throws {
    var tried = 0
    var dependent: [UInt64] = []
    var changed: [UInt64] = []
    var answers = [0, 0, 0]
    var ownDependent = 0
    for seed in 0..<UInt64(Self.worlds) {
      let world = try PathWorld(seed: seed)
      let evaluator = try world.evaluator()
      let orders = Self.orders(of: world.served, seed)
      tried += orders.count
      let outcomes = try orders.map { try world.ask(evaluator, $0) }
      if Set(outcomes.map(\.testDescription)).count > 1 || outcomes.contains(where: { $0 != outcomes[0] }) {
        dependent.append(seed)
      }
      #expect(try world.ask(try world.experiencedEvaluator(), orders[0]) == outcomes[0], "world \(seed)")
      let expected = world.answers()
      switch outcomes[0] {
      case .trusted(let chain, let excused):
        let isPlain = excused.allSatisfy { $0.hasSuffix("@0") }
        answers[isPlain ? 0 : 1] += 1
        #expect(isPlain ? expected.plain.contains(chain) : expected.excused.contains(chain), "world \(seed)")
        if !isPlain { #expect(expected.plain.isEmpty, "world \(seed)") }
      case .refused(let failures):
        answers[2] += 1
        #expect(expected.plain.isEmpty && expected.excused.isEmpty, "world \(seed): \(failures)")
      }
      // If libcrypto finds the same path in every order, that path is still used.
      let own = try orders.map { try world.ownPath($0) }
      if own.contains(where: { $0 != own[0] }) { ownDependent += 1 }
      if let path = own[0], own.allSatisfy({ $0 == path }) {
        guard case .trusted(path, _) = outcomes[0] else {
          changed.append(seed)
          continue
        }
      }
    }
    #expect(dependent == [])
    #expect(changed == [])
    #expect(tried > Self.worlds * 20)
    // Checks that the worlds would fail without the search.
    #expect(ownDependent > Self.worlds / 50)
    #expect(answers.allSatisfy { $0 > Self.worlds / 50 }, "\(answers) of \(tried) orders")
  }

  /// Each order where there are few; else some, and with duplicates in them.
  private static func orders(of links: [PathWorld.Link], _ seed: UInt64) -> [[PathWorld.Link]] {
    var random = SeededGenerator(seed: seed)
    guard links.count > 4 else {
      let all = permutations(links)
      return all + all.map { order in order + [random.pick(links)].shuffled(using: &random) }
    }
    return (0..<32).map { number in
      let order = links.shuffled(using: &random)
      guard number % 2 == 1 else { return order }
      return (order + [random.pick(links), random.pick(links)]).shuffled(using: &random)
    }
  }

  private static func permutations<Item>(_ items: [Item]) -> [[Item]] {
    guard let first = items.first else { return [[]] }
    return permutations(Array(items.dropFirst())).flatMap { rest in
      (0...rest.count).map { place in Array(rest[..<place]) + [first] + Array(rest[place...]) }
    }
  }
}
