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
    // Hardly two have a manifest in common, so none is kept for long.
    var forge = try Forge()
    for number in 0..<worlds {
      if number.isMultiple(of: 500) { forge = try Forge() }
      let world = PlainWorld.random(&chance)
      let comparison = try Comparison(world, forge)
      tally.worlds += 1
      tally.comparisons += comparison.count
      if comparison.isSafe { tally.safe += 1 }
      if comparison.isResilient { tally.resilient += 1 }
      guard !comparison.differences.isEmpty else { continue }
      tally.disagreements += 1
      if tally.examples.count < 5 {
        tally.examples.append("\(world)\n  " + comparison.differences.joined(separator: "\n  "))
      }
    }
    return tally
  }
}
