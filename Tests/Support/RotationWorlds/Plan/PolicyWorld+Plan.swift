import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinRules
import PinStudies

/// A policy as a world of plans: what the compiler makes of it is the planner's, what ``PolicyOracle`` makes of it is the
/// oracle's. A tick is as long as the time between two releases, and half a window.
extension PolicyWorld {
  private static let tickLength: Int64 = 20 * 86_400

  /// This world as the planner has it, by way of the policy's text, which has to have a key set.
  ///
  /// - Parameter mistake: What the oracle of servers does wrong.
  /// - Returns: The world, with the planner to ask.
  /// - Throws: What the compiler says of a policy that it doesn't accept.
  package func planQuestion(mistake: PolicyOracle.Mistake? = nil) throws -> PlanQuestion {
    let oracle = PolicyOracle(self, mistake: mistake)
    let servers = oracle.servers()
    let concerned = [0, 1].filter { host in
      servers[host] != nil && ([policy] + releases.suffix(1)).contains { oracle.pins($0, host) }
    }
    let batch = try PolicyBatch([self])
    let built = try batch.built()
    let name = PolicyBatch.key(PlanWorld.target, of: 0)
    guard let target = built.policy.keys.first(where: { $0.name.value == name }) else {
      throw UncheckedWorld(errors: ["the policy doesn't declare \(name)"])
    }
    return PlanQuestion(
      world: planWorld(oracle, concerned, servers.compactMapValues(\.first)), scenario: built.world.scenario,
      servers: concerned.map { host in
        built.world.scenario.servers.firstIndex { $0.host.text == PolicyBatch.host(host, of: 0) } ?? -1
      },
      pins: [Pin(SHA256Digest(InlineArray<32, UInt8>(repeating: 0)))] + batch.keys[0], tickLength: Self.tickLength,
      origin: PolicyBatch.instant(0)
    ) { try built.world.plan(to: target, of: ["w0"], in: built.policy, after: $0) }
  }

  private func planWorld(_ oracle: PolicyOracle, _ hosts: [Int], _ phases: [Int: PolicyPhase]) -> PlanWorld {
    func pins(_ layer: Layer, _ host: Int) -> Int { oracle.pins(layer, host) ? listed(layer) : 0 }
    var world = PlanWorld(
      window: 2,
      past: releases.enumerated().map { number, layer in
        PlanWorld.Past(
          issued: (isFirstForgotten ? 5 : 1) * (number - releases.count), keys: hosts.map { pins(layer, $0) },
          wantsPair: layer.wantsBoth, onlyReports: !isEnforceable(layer))
      },
      policy: listed(policy), leaving: 0, wantsPair: policy.wantsBoth,
      hosts: hosts.map { number in
        let phase = phases[number]
        let chains = (phase?.chains ?? []).sorted { $0.lexicographicallyPrecedes($1) }
        var host = PlanWorld.Host(chains: chains, isAssumed: phase?.isUncertain ?? true)
        host.isInPolicy = oracle.pins(policy, number)
        host.isGained =
          number == 1 && policy.entries[1] == .none && host.isInPolicy
          && !releases.contains { oracle.pins($0, number) }
        return host
      })
    world.onlyReports = !isEnforceable(policy)
    world.authorities = [1, 2, 3].filter { roles[$0 - 1] == .root }.reduce(0) { $0 | 1 << $1 }
    world.leaving = leaving(world)
    return world
  }

  private func listed(_ layer: Layer, _ isMeant: (Listing) -> Bool = { $0 != .absent }) -> Int {
    [1, 2, 3].filter { isMeant(layer.keys[$0 - 1]) }.reduce(0) { $0 | 1 << $1 }
  }

  /// What leaves the set, by the text of "The goal" in docs/rotation.md.
  private func leaving(_ world: PlanWorld) -> Int {
    func keys(_ chains: some Sequence<[Int]>) -> Int { chains.joined().reduce(0) { $0 | 1 << $1 } & ~1 }
    let now = world.hosts.flatMap(\.chains)
    let present = keys(now)
    let remaining = keys(now.map { world.changed($0, to: PlanWorld.target) })
    let isPublished = zip(world.past.last?.keys ?? [], world.hosts).contains { $0 != 0 && $1.isInPolicy }
    let active =
      listed(policy) { $0 == .active } | (isPublished ? releases.last.map { listed($0) { $0 == .active } } ?? 0 : 0)
    let others = world.allKeys & ~remaining & ~(1 << PlanWorld.target)
    let gone = others & (present | active | ~world.policy)
    let spares = others & ~gone
    // A key stays if no other would be left; for a pair, if no other would be left at its position.
    let places = policy.wantsBoth ? [world.authorities, ~world.authorities] : [-1]
    return places.reduce(0) { $0 | (spares & $1 == 0 ? 0 : gone & $1) }
  }
}
