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
    let scenario = try world.scenario(forge)
    let engine = Self.lockouts(of: scenario)
    compare(engine, with: oracle.lockouts())
    let losses = LossAnalysis(scenario).losses()
    let strandings = losses.flatMap { loss in
      loss.stranded.map {
        PlainStranding(key: Int(loss.pin.digest[0]), server: $0.server, tick: PlainWorld.tick($0.instant))
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
  static func lockouts(of scenario: Scenario) -> [PlainLockout] {
    let causes = LockoutCauses(scenario)
    return Simulation(scenario).lockouts().map { lockout in
      let judged = causes.judged(lockout)
      let isUncertain = scenario.servers[lockout.server].phases[lockout.phase].isUncertain
      return PlainLockout(
        server: lockout.server, release: lockout.release, phase: lockout.phase, view: lockout.view,
        landing: isUncertain ? lockout.landing : nil, isEvery: lockout.extent == .every,
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
}
