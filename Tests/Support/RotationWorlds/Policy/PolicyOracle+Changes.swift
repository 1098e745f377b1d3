extension PolicyOracle {
  /// What a server presents after each instant at which something is planned.
  func plannedPhases(_ host: Int, after first: PolicyPhase) -> [PolicyPhase] {
    let stated = world.changes.filter { $0.host == host }
    let hasSteps = pins(world.policy, host)
    let keepsLeaf = hasSteps && world.policy.wantsBoth
    func steps(_ tick: Int) -> [Int] {
      [1, 2, 3].filter { hasSteps && world.policy.keys[$0 - 1] != .absent && world.words[$0 - 1].step == tick }
    }
    var phases: [PolicyPhase] = []
    var last = first
    for tick in -30...30 {
      var next: PolicyPhase?
      let here = stated.filter { $0.tick == tick }
      // Past steps are never simulated; a statement about the past applies from now on.
      if !here.isEmpty {
        next = changed(last, here.map(\.keys), keepsLeaf: keepsLeaf)
      } else if tick > 0, !steps(tick).isEmpty {
        next = stepped(last, steps(tick), keepsLeaf: keepsLeaf)
      }
      if mistake == .stepsCountBesideChanges, !here.isEmpty, tick > 0, !steps(tick).isEmpty {
        next = next.map { stepped($0, steps(tick), keepsLeaf: keepsLeaf) }
      }
      guard var next else { continue }
      next.begin = max(tick, 0)
      next.isPlanned = true
      if mistake == .plansMakeCertain { next.isUncertain = false }
      if phases.last?.begin == next.begin { phases.removeLast() }
      phases.append(next)
      last = next
    }
    return phases
  }

  /// After the changes of one instant; of several, each is somewhere.
  private func changed(_ phase: PolicyPhase, _ changes: [[Int]], keepsLeaf: Bool) -> PolicyPhase {
    var next = phase
    next.chains = []
    for keys in changes {
      if keys.count == 1 {
        next.chains.formUnion(stepped(phase, keys, isAlone: changes.count == 1, keepsLeaf: keepsLeaf).chains)
        continue
      }
      // The whole chain, with unknown keys at its ends.
      var chain = keys
      if let first = keys.first, first != 0, stands(first) != .leaf { chain.insert(0, at: 0) }
      if let end = keys.last, end != 0, stands(end) == .intermediate || stands(end) == .ca { chain.append(0) }
      next.chains.insert(chain)
      next.isUncertain = false
    }
    return next
  }

  /// After some keys have become what is presented.
  private func stepped(_ phase: PolicyPhase, _ keys: [Int], isAlone: Bool = true, keepsLeaf: Bool) -> PolicyPhase {
    let leaves = keys.filter { $0 == 0 || stands($0) == .leaf }
    let authorities = keys.filter { !leaves.contains($0) }
    let areSingle = isAlone && leaves.count < 2 && authorities.count < 2
    var next = phase
    next.chains = []
    for chain in phase.chains {
      if areSingle, keys.allSatisfy({ has(chain, $0) }), mistake != .chainWithTheKeyIsReplaced {
        next.chains.insert(chain)
        continue
      }
      let kept = keepsLeaf && mistake != .authorityDropsTheLeaf ? chain[0] : 0
      var rest = Array(chain.dropFirst())
      if mistake == .leafDropsTheRest, phase.chains.count > 1 { rest = [0] }
      let ends = authorities.map { stands($0) == .root ? [$0] : [$0, 0] }
      for leaf in leaves.isEmpty ? [kept] : leaves {
        for end in ends.isEmpty ? [rest] : ends { next.chains.insert([leaf] + end) }
      }
      if mistake == .authorityKeepsTheOthers, leaves.isEmpty { next.chains.insert(chain) }
    }
    return next
  }

  /// Whether a chain has a key where it may stand.
  private func has(_ chain: [Int], _ key: Int) -> Bool {
    chain.indices.contains { place in
      guard key != 0, chain[place] == key else { return false }
      switch stands(key) {
      case .leaf, .unsaid: return place == 0
      case .root: return place == chain.count - 1
      case .intermediate: return place > 0 && place < chain.count - 1
      case .ca: return place > 0
      }
    }
  }
}
