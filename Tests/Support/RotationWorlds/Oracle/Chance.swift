import TestSupport

extension SmallSpace.Tally {
  /// Compares larger worlds by chance.
  ///
  /// - Parameters:
  ///   - worlds: How many.
  ///   - seed: What decides which.
  /// - Returns: The tally; a world that differs is given as Swift, for Regressions.swift.
  /// - Throws: What the validator says of a manifest that it doesn't take.
  package static func ofChance(worlds: Int, seed: UInt64) throws -> SmallSpace.Tally {
    var chance = SeededGenerator(seed: seed)
    var tally = SmallSpace.Tally()
    // Worlds rarely share a manifest, so none is kept for long.
    var forge = try Forge()
    for number in 0..<worlds {
      if number.isMultiple(of: 500) { forge = try Forge() }
      try tally.compare(PlainWorld.random(&chance), forge)
    }
    return tally
  }

  /// Compares one world.
  mutating func compare(_ world: PlainWorld, _ forge: Forge, mistake: Oracle.Mistake? = nil) throws {
    let comparison = try Comparison(world, forge, mistake: mistake)
    worlds += 1
    comparisons += comparison.count
    if comparison.isSafe { safe += 1 }
    if comparison.isResilient { resilient += 1 }
    guard !comparison.differences.isEmpty else { return }
    disagreements += 1
    guard examples.count < 5 else { return }
    examples.append("\(world)\n  " + comparison.differences.joined(separator: "\n  "))
  }
}
