package import TestSupport

extension PlanWorld {
  /// A world by chance, larger than those that can be enumerated: more keys, hosts, releases and clocks.
  package static func random(_ chance: inout SeededGenerator) -> PlanWorld {
    let hosts = (0...chance.below(5)).map { _ in host(&chance) }
    // In half of them all hosts start with one set, and little changes from one release to the next.
    let isCalm = chance.once(in: 2)
    var issued = -(40 + chance.below(10))
    var past: [Past] = []
    for _ in 0..<chance.below(7) {
      var keys = past.last?.keys ?? [Int](repeating: set(&chance), count: hosts.count)
      for index in keys.indices where chance.once(in: isCalm ? 8 : 2) {
        keys[index] = chance.once(in: 10) ? 0 : isCalm ? keys[index] | set(&chance) : set(&chance)
      }
      past.append(
        Past(
          issued: issued, keys: keys, staleFrom: chance.once(in: 6) ? chance.below(30) - 5 : nil,
          unpinnedFrom: chance.once(in: 6) && keys.contains { $0 != 0 } ? chance.below(30) - 5 : nil))
      issued = min(0, issued + 1 + chance.below(15))
    }
    return PlanWorld(
      window: chance.below(20), past: past, policy: isCalm ? (past.last?.keys[0] ?? 0) | set(&chance) : set(&chance),
      leaving: chance.below(128) << 1 & ~(1 << target), hosts: hosts)
  }

  private static func host(_ chance: inout SeededGenerator) -> Host {
    let leaves = Set((0...(chance.once(in: 4) ? 2 : 0)).map { _ in chance.below(8) }).sorted()
    return Host(
      leaves, above: chance.once(in: 3) ? chance.pick([0, 1, 2, 4, 5, 6, 7]) : nil,
      isAssumed: leaves.count > 1 && chance.once(in: 2))
  }

  private static func set(_ chance: inout SeededGenerator) -> Int { (1 + chance.below(127)) << 1 }
}
