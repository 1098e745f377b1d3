import PinFormat

/// A server that the loss of a key cuts off, as both sides are compared by.
package struct PlainStranding: Hashable, Sendable, Comparable, CustomStringConvertible {
  package var key: Int
  package var server: Int
  /// The first tick at which the key's loss does it.
  package var tick: Int

  package init(key: Int, server: Int, tick: Int) {
    self.key = key
    self.server = server
    self.tick = tick
  }

  package var description: String { "the loss of key \(key) at \(tick) strands server \(server)" }

  package static func < (left: PlainStranding, right: PlainStranding) -> Bool {
    (left.key, left.server) < (right.key, right.server)
  }
}

extension Oracle {
  /// Nobody is locked out of anything, as long as the world lasts.
  package var isSafe: Bool { !lockouts().contains { $0.isEvery } }

  /// Safe, and the loss of any one key strands nobody.
  package var isResilient: Bool { isSafe && strandings().isEmpty }

  /// Whom the loss of a key would strand, tried at each tick.
  package func strandings() -> [PlainStranding] {
    var first: [[Int]: Int] = [:]
    for tick in world.now..<world.end {
      for (number, server) in world.servers.enumerated() {
        guard let phase = phase(of: server, at: tick).map({ server.phases[$0] }) else { continue }
        for key in Self.keys(in: phase) where first[[key, number]] == nil {
          if phase.views.contains(where: { isCutOff(server, phase, $0, losing: key, at: tick) }) {
            first[[key, number]] = tick
          }
        }
      }
    }
    return first.map { PlainStranding(key: $0.key[0], server: $0.key[1], tick: $0.value) }.sorted()
  }

  private static func keys(in phase: PlainPhase) -> Set<Int> {
    var keys: Set<Int> = []
    for view in phase.views {
      for landing in view.landings { keys.formUnion(landing.keys) }
    }
    return keys.subtracting([0])
  }

  /// Whether a kind of client that is shown a key has nothing in common any more without it.
  private func isCutOff(
    _ server: PlainServer, _ phase: PlainPhase, _ view: PlainView, losing key: Int, at tick: Int
  ) -> Bool {
    func passes(_ release: Int, _ landing: PlainLanding) -> Bool {
      !isBlocked(release, server, landing, at: tick, .pins)
    }
    let holding = view.landings.filter { $0.keys.contains(key) }
    guard !holding.isEmpty else { return false }
    let isAssumed = phase.isUncertain && (phase.source == .assumed || mistake != .plansMakeCertain)
    // If it isn't known what is presented, each chain with the key may be the only one.
    for question in isAssumed ? holding.map({ [$0] }) : [holding] {
      let clients = running(at: tick).filter { release in
        (isAssumed ? question : view.landings).contains { passes(release, $0) }
      }
      func suits(_ landing: PlainLanding) -> Bool {
        mistake == .lossNeedsOneRelease
          ? clients.isEmpty || clients.contains { passes($0, landing) } : clients.allSatisfy { passes($0, landing) }
      }
      if !isAssumed, view.landings.contains(where: { !holding.contains($0) && suits($0) }) { continue }
      let chains = question.flatMap { landing -> [[Int]] in
        replacements(of: landing.keys, losing: key, server, at: tick)
      }
      if !chains.contains(where: { suits(.chain($0)) }) { return true }
    }
    return false
  }

  /// All that a server can present in place of a chain with a lost key.
  private func replacements(of chain: [Int], losing key: Int, _ server: PlainServer, at tick: Int) -> [[Int]] {
    guard let place = chain.lastIndex(of: key) else { return [] }
    // The leaf keeps its key and is certified again; what was above the lost key stays.
    let leaf = chain[0] == key ? 0 : chain[0]
    let rest = (place == 0 || chain[0] == key ? [0] : [leaf, 0]) + chain[(place + 1)...]
    var chains = [rest]
    let all = running(at: tick).reversed().flatMap { keys($0, server) }
    // What a release states about a key stays true when no client runs the release any more.
    let said = mistake == .positionsAreForgotten ? all : world.releases.indices.reversed().flatMap { keys($0, server) }
    for other in all where other.number != key && !rest.contains(other.number) {
      let position = said.first { $0.number == other.number && $0.position != nil }?.position
      let isAnywhere = mistake == .keysStandAnywhere && position == nil
      if position ?? .leaf == .leaf { chains.append([other.number] + rest.dropFirst()) }
      if position == .root || isAnywhere { chains.append([rest[0], other.number]) }
      if position == .intermediate || isAnywhere {
        let known = mistake == .issuersAreForgotten ? [] : world.issuers[other.number] ?? []
        let above = known.isEmpty ? [[0]] : known.filter { !$0.contains(key) }
        chains += above.map { [rest[0], other.number] + $0 }
      }
    }
    return chains
  }
}
