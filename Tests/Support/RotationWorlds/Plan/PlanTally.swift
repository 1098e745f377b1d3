/// What the comparison of many plans came to.
package struct PlanTally: Sendable {
  package var worlds = 0
  /// How many plans have so many steps, by number.
  package var lengths: [Int: Int] = [:]
  package var disagreements = 0
  /// The first few disagreements.
  package var examples: [String] = []

  package init() {}

  mutating func add(_ comparison: PlanComparison, of world: String) {
    worlds += 1
    lengths[comparison.steps.count, default: 0] += 1
    guard let difference = comparison.difference else { return }
    disagreements += 1
    if examples.count < 10 { examples.append("\(difference) in \(world)") }
  }

  package mutating func add(_ other: PlanTally) {
    worlds += other.worlds
    lengths.merge(other.lengths, uniquingKeysWith: +)
    disagreements += other.disagreements
    examples = Array((examples + other.examples).prefix(10))
  }

  /// `1452 plans (18 of 0 steps, 329 of 1, …), 0 disagreements`.
  package var text: String {
    let lengths = lengths.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
    return "\(worlds) plans (\(lengths) steps), \(disagreements) disagreements"
  }
}

extension PlanFamily {
  /// Compares the plans of some of the worlds with all other sequences of steps.
  ///
  /// - Parameters:
  ///   - numbers: The numbers of the worlds.
  ///   - mistake: What the oracle does wrong.
  /// - Returns: The result.
  /// - Throws: What the validator says of a manifest that it doesn't take.
  package func compare(_ numbers: some Sequence<Int>, mistake: PlanOracle.Mistake? = nil) throws -> PlanTally {
    let forge = try Forge()
    var tally = PlanTally()
    for number in numbers {
      guard let world = world(number) else { continue }
      tally.add(try PlanComparison(world, forge, mistake: mistake), of: "\(name) \(number): \(world)")
    }
    return tally
  }
}
