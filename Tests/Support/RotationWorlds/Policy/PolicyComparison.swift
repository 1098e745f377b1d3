import TestSupport

/// What the compiler says about some policy worlds, to compare with the oracle.
package struct PolicyComparison: Sendable {
  private var answered: [(world: PolicyWorld, servers: [Int: [PolicyPhase]])] = []

  package init() {}

  /// How many worlds there are.
  package var count: Int { answered.count }

  /// How many servers the compiler finds in them, and how many phases those have.
  package var servers: Int { answered.reduce(0) { $0 + $1.servers.count } }
  package var phases: Int { answered.reduce(0) { $0 + $1.servers.values.reduce(0) { $0 + $1.count } } }

  /// Puts worlds to the compiler, many in one policy.
  ///
  /// - Throws: What the compiler says of a policy that it doesn't accept.
  package mutating func add(_ worlds: [PolicyWorld]) throws {
    for (_, alike) in Dictionary(grouping: worlds, by: Kind.init).sorted(by: { $0.key < $1.key }) {
      for begin in stride(from: 0, to: alike.count, by: Self.batchSize) {
        let batch = Array(alike[begin..<min(begin + Self.batchSize, alike.count)])
        let servers = try PolicyBatch(batch).servers()
        answered += zip(batch, servers).map { (world: $0, servers: $1) }
      }
    }
  }

  private static let batchSize = 400

  /// What can't differ within one policy.
  private struct Kind: Hashable, Comparable {
    var numbers: [Int]

    init(_ world: PolicyWorld) {
      let evidence = world.evidence == .none ? 0 : world.evidence == .silent ? 1 : 2
      numbers = [world.releases.count, world.isFirstForgotten ? 1 : 0, evidence]
    }

    static func < (left: Kind, right: Kind) -> Bool { left.numbers.lexicographicallyPrecedes(right.numbers) }
  }

  /// The worlds in which compiler and oracle differ, each with what both say.
  package func differences(_ mistake: PolicyOracle.Mistake? = nil) -> [String] {
    answered.compactMap { world, servers -> String? in
      let oracle = PolicyOracle(world, mistake: mistake).servers()
      return oracle == servers ? nil : "\(world)\n  compiler: \(servers)\n  oracle: \(oracle)"
    }
  }

  /// Whether some world differs; stops at the first.
  package func differs(_ mistake: PolicyOracle.Mistake?) -> Bool {
    answered.contains { PolicyOracle($0.world, mistake: mistake).servers() != $0.servers }
  }
}

extension PolicyFamily {
  /// Some of the worlds, each once, as the seed decides.
  package func sample(_ size: Int, seed: UInt64) -> [PolicyWorld] {
    var chance = SeededGenerator(seed: seed)
    var seen: Set<Int> = []
    var worlds: [PolicyWorld] = []
    while worlds.count < size {
      let number = chance.below(count)
      if seen.insert(number).inserted, let world = world(number) { worlds.append(world) }
    }
    return worlds
  }

  /// Compares all worlds whose number is among some.
  ///
  /// - Returns: How many worlds, servers and phases were compared, and what differs.
  /// - Throws: What the compiler says of a policy that it doesn't accept.
  package func compare(_ numbers: some Sequence<Int>) throws -> PolicyTally {
    var tally = PolicyTally()
    var worlds: [PolicyWorld] = []
    func compareSome() throws {
      var comparison = PolicyComparison()
      try comparison.add(worlds)
      tally.add(comparison)
      worlds = []
    }
    for number in numbers {
      if let world = world(number) { worlds.append(world) }
      if worlds.count == 8_000 { try compareSome() }
    }
    try compareSome()
    return tally
  }
}

/// What the comparison of many policy worlds came to.
package struct PolicyTally: Sendable {
  package var worlds = 0
  package var servers = 0
  package var phases = 0
  package var disagreements = 0
  /// The first few that disagree.
  package var examples: [String] = []

  package init() {}

  mutating func add(_ comparison: PolicyComparison) {
    let differences = comparison.differences()
    worlds += comparison.count
    servers += comparison.servers
    phases += comparison.phases
    disagreements += differences.count
    examples += differences.prefix(max(0, 5 - examples.count))
  }

  package mutating func add(_ other: PolicyTally) {
    worlds += other.worlds
    servers += other.servers
    phases += other.phases
    disagreements += other.disagreements
    examples += other.examples.prefix(max(0, 5 - examples.count))
  }

  /// `1452 policies, 2000 servers, 4000 phases, 0 disagreements`.
  package var text: String {
    "\(worlds) policies, \(servers) servers, \(phases) phases, \(disagreements) disagreements"
  }
}
