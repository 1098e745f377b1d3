import PinFormat
import PinRotation

/// Puts one world to the engine and to the oracle.
package struct Comparison {
  /// What they differ in, each in a line; empty where they agree.
  package var differences: [String] = []
  /// How many lockouts and strandings were looked at on both sides, at least one.
  package var count = 1
  /// As the engine has it.
  package var isSafe = false
  package var isResilient = false

  package init(_ world: PlainWorld, _ forge: Forge, mistake: Oracle.Mistake? = nil) throws {
    let oracle = Oracle(world, mistake: mistake)
    // The engine agrees with the correct oracle, so it is run only if the mistake changes the result.
    guard mistake == nil || oracle.differs(from: Oracle(world)) else { return }
    let scenario = try world.scenario(forge)
    let judged = JudgedLockout.all(Simulation(scenario).lockouts(), in: scenario)
    let engine = Self.lockouts(judged)
    compare(engine, with: oracle.lockouts())
    compareEnds(SimulationTimeline(scenario, lockouts: judged), with: oracle)
    let losses = LossAnalysis(scenario).losses()
    let strandings = losses.flatMap { loss in
      loss.stranded.map {
        PlainStranding(key: Int(loss.pin.digest[0]), server: $0.server.number, tick: PlainWorld.tick($0.instant))
      }
    }
    compare(strandings.sorted(), with: oracle.strandings())
    isSafe = !engine.contains { $0.isEvery }
    if isSafe != oracle.isSafe { differences.append("the engine says \(isSafe ? "safe" : "unsafe")") }
    isResilient = isSafe && losses.allSatisfy(\.stranded.isEmpty)
    if isResilient != oracle.isResilient {
      differences.append("the engine says \(isResilient ? "resilient" : "not resilient")")
    }
  }

  /// The engine's lockouts in the oracle's words.
  private static func lockouts(_ lockouts: [JudgedLockout]) -> [PlainLockout] {
    lockouts.map { judged in
      let lockout = judged.lockout
      return PlainLockout(
        server: lockout.server.number, release: lockout.release.number, phase: lockout.phase.number,
        view: lockout.view.number, landing: lockout.phase.isUncertain ? lockout.landing.number : nil,
        isEvery: lockout.extent == .every,
        isByPins: lockout.question == .pins, isByClock: lockout.isByClock,
        begin: PlainWorld.tick(lockout.begin), end: lockout.end.map(PlainWorld.tick),
        isStanding: judged.isStanding, isUnhealthy: judged.isUnhealthy)
    }.sorted()
  }

  private mutating func compare<Item: Hashable & CustomStringConvertible>(_ engine: [Item], with oracle: [Item]) {
    count += oracle.count
    for item in engine where !oracle.contains(item) { differences.append("only the engine says: \(item)") }
    for item in oracle where !engine.contains(item) { differences.append("only the oracle says: \(item)") }
  }

  /// Where the time line says that clients are no longer locked out.
  private mutating func compareEnds(_ timeline: SimulationTimeline, with oracle: Oracle) {
    var told: Set<PlainEnd> = []
    for event in timeline.events {
      guard case .lockoutEnds(let blocked) = event.kind, blocked.extent == .every else { continue }
      for server in event.servers {
        for release in blocked.releases {
          told.insert(PlainEnd(server: server, release: release, tick: PlainWorld.tick(event.instant)))
        }
      }
    }
    let ends = oracle.ends()
    count += ends.certain.count
    for end in told.subtracting(ends.possible) { differences.append("only the time line says: \(end)") }
    for end in ends.certain.subtracting(told) { differences.append("the time line doesn't say: \(end)") }
  }
}

extension Oracle {
  fileprivate func differs(from other: Oracle) -> Bool {
    lockouts() != other.lockouts() || strandings() != other.strandings() || ends() != other.ends()
  }
}
