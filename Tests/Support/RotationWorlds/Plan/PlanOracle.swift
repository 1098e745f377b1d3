/// Answers for plans in a plain world by trying all there are, one tick and one step after the other.
///
/// Written a second time on purpose, and naively: no manifest, no validator, no reckoning of dates. It knows the rules
/// of the game, and nothing of how a plan is found.
package struct PlanOracle: Sendable {
  /// A mistake that is put in, to see that it would be found.
  package enum Mistake: CaseIterable, Sendable {
    /// A client may run the older release one tick too long.
    case windowIncludesItsLimit
    /// Clients that refuse stale manifests use them nevertheless.
    case staleIsRun
    /// What older releases say doesn't matter.
    case onlyTheNewestCounts
    /// Two steps of one tick happen at once.
    case stepsOfATickAreOne
    /// Clients that are kept out already have to be waited for.
    case nobodyIsGivenUp
    /// A plan may wait for the newest release to run out.
    case theNewestRunsOut
    /// The goal asks for nothing to leave.
    case nothingLeaves
    /// Whether pins hold isn't asked of a release that is stale.
    case staleExcuses
    /// A host that the policy is the first to cover, by a subtree, is left out.
    case gainedHostsAreLeftOut
    /// A plan may begin with a release that locks out of a host for which no release enforced pins before.
    case newlyEnforcedIsGiven
    /// Hosts whose certificates fail are planned for like others.
    case failuresAreIgnored
    /// The failure of a host that the plan isn't about stops the plan.
    case failuresOfOthersCount
    /// One key of a pair that is asked for is enough.
    case oneOfAPairIsEnough
    /// What a release accepts of certificates doesn't matter to what is planned.
    case limitsAreIgnored
  }

  package var world: PlanWorld
  package var mistake: Mistake?

  package init(_ world: PlanWorld, mistake: Mistake? = nil) {
    self.world = world
    self.mistake = mistake
  }

  /// Releases and hosts as they are at some tick.
  struct State {
    var tick = 0
    var steps: [DatedStep] = []
    /// The plan's releases so far.
    var planned: [(issued: Int, keys: Int)] = []
    /// What each host presents, and what it presented before; nil where it hasn't changed.
    var hosts: [PlanWorld.Host]
    var earlier: [PlanWorld.Host?]

    init(_ world: PlanWorld) {
      hosts = world.hosts
      earlier = world.hosts.map { _ in nil }
    }
  }

  // MARK: The rules

  private func issued(_ number: Int, _ state: State) -> Int {
    number < world.past.count ? world.past[number].issued : state.planned[number - world.past.count].issued
  }

  func isRunning(_ number: Int, _ state: State) -> Bool {
    guard number + 1 < world.past.count + state.planned.count else { return true }
    if mistake == .onlyTheNewestCounts { return false }
    let next = issued(number + 1, state)
    if mistake == .windowIncludesItsLimit ? state.tick > next + world.window : state.tick >= next + world.window {
      return false
    }
    if number < world.past.count, let stale = world.past[number].staleFrom, mistake != .staleIsRun {
      return state.tick < next || state.tick < stale
    }
    return true
  }

  /// Whether a set of keys keeps out who is shown what a host presents; an empty one pins nothing.
  private func keepsOut(
    _ keys: Int, _ host: PlanWorld.Host, wantsPair: Bool, limit: Int?, anyIsEnough: Bool
  ) -> Bool {
    if keys == 0 { return false }
    let blocked = host.chains.filter { chain in
      if mistake != .limitsAreIgnored, !world.accepts(chain, limit) { return true }
      let isAtLeaf = keys >> chain[0] & 1 != 0
      let isAbove = chain.dropFirst().contains { keys >> $0 & 1 != 0 }
      return wantsPair && mistake != .oneOfAPairIsEnough ? !(isAtLeaf && isAbove) : !(isAtLeaf || isAbove)
    }
    return anyIsEnough ? !blocked.isEmpty : blocked.count == host.chains.count
  }

  /// Whether a release of the plan with some keys keeps out who is shown what a host presents.
  func releaseKeepsOut(
    _ keys: Int, _ host: PlanWorld.Host, at tick: Int = 0, byPins: Bool = true, anyIsEnough: Bool
  ) -> Bool {
    guard host.isInPolicy else { return false }
    if !byPins, hasFailed(host, at: tick) { return true }
    if world.onlyReports { return false }
    return keepsOut(
      keys, host, wantsPair: world.wantsPair, limit: byPins ? nil : world.limit, anyIsEnough: anyIsEnough)
  }

  /// Whether nobody who checks certificates gets through any more.
  private func hasFailed(_ host: PlanWorld.Host, at tick: Int) -> Bool {
    if case .excused(let until) = host.health { tick >= until } else { false }
  }

  /// Whether a release keeps out who is shown what a host presents; by pins alone, as if what is out never went stale.
  func keepsOut(
    _ number: Int, _ index: Int, _ host: PlanWorld.Host, _ state: State, byPins: Bool, anyIsEnough: Bool
  ) -> Bool {
    guard number < world.past.count else {
      return releaseKeepsOut(
        state.planned[number - world.past.count].keys, host, at: state.tick, byPins: byPins, anyIsEnough: anyIsEnough)
    }
    let release = world.past[number]
    if release.keys[index] == 0 { return false }
    // The clocks of the newest release stop until another one is released, because it would be renewed in time.
    let isRenewed = number == world.past.count - 1 && state.planned.isEmpty && mistake != .theNewestRunsOut
    let tick = isRenewed ? 0 : state.tick
    if let stale = release.staleFrom, tick >= stale, mistake != .staleIsRun, !byPins { return true }
    if let end = release.unpinnedFrom, tick >= end { return false }
    if !byPins, hasFailed(host, at: tick) { return true }
    if release.onlyReports { return false }
    return keepsOut(
      release.keys[index], host, wantsPair: release.wantsPair, limit: byPins ? nil : release.limit,
      anyIsEnough: anyIsEnough)
  }

  /// Whether no step has made anything worse, at the state's tick: neither by pins, nor altogether.
  func isSafe(_ state: State) -> Bool {
    isSafe(state, byPins: false) && (mistake == .staleExcuses || isSafe(state, byPins: true))
  }

  private func isSafe(_ state: State, byPins: Bool) -> Bool {
    for (index, host) in state.hosts.enumerated() {
      for number in 0..<(world.past.count + state.planned.count) where isRunning(number, state) {
        guard keepsOut(number, index, host, state, byPins: byPins, anyIsEnough: host.isAssumed) else { continue }
        if number >= world.past.count {
          // Only if no possible release would let them in.
          let all = releaseKeepsOut(
            world.allKeys, host, at: state.tick, byPins: byPins, anyIsEnough: host.isAssumed)
          if !all { return false }
        } else if let earlier = state.earlier[index] {
          // One client's limit doesn't affect readers, and a client can't choose its address by a header.
          if mistake == .nobodyIsGivenUp
            || !keepsOut(number, index, earlier, state, byPins: byPins, anyIsEnough: false)
          {
            return false
          }
        }
      }
    }
    return true
  }

  private var finalKeys: Int { mistake == .nothingLeaves ? world.allKeys : world.finalKeys }

  /// What is missing for the goal: that the hosts present the target, and that the newest release is the last one.
  func missing(_ state: State) -> (serve: Bool, release: Bool) {
    let serve = state.hosts.contains { needsChange($0, to: PlanWorld.target) }
    if let newest = state.planned.last { return (serve, newest.keys != finalKeys) }
    guard let newest = world.past.last else { return (serve, true) }
    return (serve, zip(newest.keys, world.hosts).contains { $1.isInPolicy && $0 != finalKeys })
  }

  /// Whether a plan is about a host, and the host doesn't present the key everywhere.
  func needsChange(_ host: PlanWorld.Host, to key: Int) -> Bool {
    if mistake == .gainedHostsAreLeftOut, host.isGained { return false }
    return host.chains.contains { !world.isChanged($0, to: key) }
  }

  func changed(_ host: PlanWorld.Host, to key: Int) -> PlanWorld.Host {
    guard host.chains.contains(where: { !world.isChanged($0, to: key) }) else { return host }
    var host = host
    var chains: [[Int]] = []
    for chain in host.chains {
      let next = world.changed(chain, to: key)
      if !chains.contains(next) { chains.append(next) }
    }
    host.chains = chains
    host.health = .fine
    host.isAssumed = host.isAssumed && chains.count > 1
    return host
  }

  func applying(_ step: PlainStep, to state: State) -> State {
    var state = state
    state.steps.append(DatedStep(step, at: state.tick))
    switch step {
    case .release(let keys): state.planned.append((state.tick, keys))
    case .serve(let hosts, let key):
      for index in state.hosts.indices where hosts >> index & 1 != 0 {
        state.earlier[index] = state.hosts[index]
        state.hosts[index] = changed(state.hosts[index], to: key)
      }
    }
    return state
  }

  /// Whether nothing gets worse from a state on, if nothing else is done.
  func staysSafe(_ state: State, until end: Int) -> Bool {
    var state = state
    while state.tick < end {
      state.tick += 1
      if !isSafe(state) { return false }
    }
    return true
  }
}
