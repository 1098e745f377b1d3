/// Policies of which a plan is made as `pintle rotate` makes it.
///
/// It begins at the text, and at what servers are assumed to present. Key 3 is the target.
package struct PolicyPlanFamily: Sendable {
  package var name: String
  /// How many combinations of the parts there are.
  package var count: Int
  /// How many worlds they are.
  package var size: Int
  private var make: @Sendable (inout PlanFamily.Digits) -> PolicyWorld?

  /// The world of a number; nil if the parts don't go together.
  package func world(_ number: Int) -> PolicyWorld? {
    var digits = PlanFamily.Digits(rest: number)
    return make(&digits)
  }

  package static let all = [steps, subtrees]

  /// Keys of which the policy plans when they become active: none, some, or all; and a leaf and an authority that are
  /// both required, with no evidence of either.
  package static let steps: PolicyPlanFamily = {
    let states: [(listing: PolicyWorld.Listing, word: PolicyWorld.Word)] = [
      (.absent, .nothing), (.active, .nothing), (.active, .soon), (.backup, .nothing), (.backup, .servedSince),
    ]
    let places: [[PolicyWorld.Role]] = [[.leaf, .leaf, .leaf], [.leaf, .root, .leaf], [.leaf, .root, .root]]
    return PolicyPlanFamily(name: "steps", count: 3 * 5 * 5 * 4 * 27 * 3 * 3, size: 72_171) { digits in
      let roles = places[digits.below(3)]
      // What the target presents is what is assumed of it.
      let keys = [digits.below(5), digits.below(5), digits.below(4)].map { states[$0] }
      let newest = layer(digits.below(27))
      let required = digits.below(3)
      let older = [nil, layer(7), layer(5)][digits.below(3)]
      guard keys.contains(where: { $0.listing != .absent }) else { return nil }
      func asking(_ layer: PolicyWorld.Layer, _ wantsBoth: Bool) -> PolicyWorld.Layer {
        var layer = layer
        layer.wantsBoth = wantsBoth && layer.entries[0] == .exact
        return layer
      }
      return PolicyWorld(
        roles: roles, words: keys.map(\.word),
        policy: PolicyWorld.Layer(keys: keys.map(\.listing), wantsBoth: required > 0),
        releases: ([older].compactMap { $0 } + [newest]).map { asking($0, required > 1) })
    }
  }()

  /// A host and one below it, which come under an entry of their own or of the host above, and leave it.
  package static let subtrees: PolicyPlanFamily = {
    let current: [[PolicyWorld.Listing]] = [
      [.active, .backup, .absent], [.active, .backup, .backup], [.active, .absent, .backup],
      [.backup, .absent, .active],
    ]
    return PolicyPlanFamily(name: "subtrees", count: 12 * 12 * 3 * 2 * 4 * 3, size: 6_912) { digits in
      func both() -> [PolicyWorld.Entry] {
        let number = digits.below(12)
        return [[.none, .exact, .subtree, .off][number % 4], [.none, .exact, .off][number / 4]]
      }
      let (policy, newest) = (both(), both())
      let older: [PolicyWorld.Entry]? = [nil, [.exact, .exact], [.subtree, .none]][digits.below(3)]
      let isSilent = digits.below(2) == 1
      let (keys, before) = (current[digits.below(4)], current[digits.below(3)])
      guard policy.contains(where: { $0 == .exact || $0 == .subtree }) else { return nil }
      let first = older.map { PolicyWorld.Layer($0, keys: [.active, .backup, .absent]) }
      return PolicyWorld(
        roles: [.leaf, .leaf, .leaf], policy: PolicyWorld.Layer(policy, keys: keys),
        releases: [first].compactMap { $0 } + [PolicyWorld.Layer(newest, keys: before)],
        evidence: isSilent ? .silent : .none)
    }
  }()

  private static func layer(_ number: Int) -> PolicyWorld.Layer {
    let keys = [1, 3, 9].map { [PolicyWorld.Listing.absent, .active, .backup][number / $0 % 3] }
    return PolicyWorld.Layer([number == 0 ? .none : .exact, .none], keys: keys)
  }
}

extension PolicyPlanFamily {
  /// Compares the plans of some of the worlds with all other sequences of steps.
  ///
  /// - Parameters:
  ///   - numbers: The numbers of the worlds.
  ///   - mistake: What the oracle of plans does wrong.
  ///   - assumption: What the oracle of servers does wrong.
  /// - Returns: The result.
  /// - Throws: What the compiler says of a policy that it doesn't accept.
  package func compare(
    _ numbers: some Sequence<Int>, mistake: PlanOracle.Mistake? = nil, assumption: PolicyOracle.Mistake? = nil
  ) throws -> PlanTally {
    var tally = PlanTally()
    // No two worlds share a manifest, so none is kept for long.
    var forge = try Forge()
    for number in numbers {
      guard let world = world(number) else { continue }
      if tally.worlds.isMultiple(of: 500) { forge = try Forge() }
      tally.add(
        try PlanComparison(
          world.planQuestion(mistake: assumption), forge, mistake: mistake,
          replays: mistake == nil && assumption == nil),
        of: "\(name) \(number): \(world)")
    }
    return tally
  }
}
