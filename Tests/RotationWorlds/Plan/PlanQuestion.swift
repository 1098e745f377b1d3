package import PinFormat
package import PinRotation

/// A world in which a plan is looked for: as the planner has it, and as the oracle has it.
package struct PlanQuestion {
  package var world: PlanWorld
  package var scenario: Scenario
  /// Of each host of ``world``, its server's index in the scenario.
  package var servers: [Int]
  /// The pins by the world's numbers of keys; the first is that of no key of a plan.
  package var pins: [Pin]
  /// In seconds.
  package var tickLength: Int64
  package var origin: Instant
  /// Asks the planner.
  package var plan: () throws -> RotationPlan

  package func instant(_ tick: Int) -> Instant { origin.adding(seconds: Int64(tick) * tickLength) }

  /// A plan's steps in the words of a plain world; nil where one isn't like them.
  package func steps(of plan: RotationPlan) -> [DatedStep]? {
    var steps: [DatedStep] = []
    for step in plan.steps {
      let distance = step.earliest.secondsSinceEpoch - origin.secondsSinceEpoch
      guard distance.isMultiple(of: tickLength) else { return nil }
      let tick = Int(distance / tickLength)
      switch step.action {
      case .release(let release):
        guard let keySet = release.keySets.first, release.keySets.count == 1 else { return nil }
        var keys = 0
        for key in keySet.keys {
          guard let number = number(of: key.pin) else { return nil }
          keys |= 1 << number
        }
        steps.append(DatedStep(.release(keys), at: tick))
      case .serve(let change):
        guard let key = number(of: change.key.pin) else { return nil }
        var hosts = 0
        for server in change.servers {
          guard let host = servers.firstIndex(of: server) else { return nil }
          hosts |= 1 << host
        }
        steps.append(DatedStep(.serve(hosts: hosts, key: key), at: tick))
      }
    }
    return steps
  }

  private func number(of pin: Pin) -> Int? { pins.dropFirst().firstIndex(of: pin) }
}
