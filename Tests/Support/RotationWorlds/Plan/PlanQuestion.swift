package import PinFormat
package import PinRotation
import PinValidator

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
  /// Asks the planner for a plan after some bounds.
  var ask: ([RotationBound]) throws -> RotationPlan

  package func plan(after bounds: [RotationBound] = []) throws -> RotationPlan { try ask(bounds) }

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

extension PlanQuestion {
  /// What a release of a plan says, made of the policy without the planner's help; nil where there is no policy.
  package func manifest(of release: PlannedRelease) -> Manifest? {
    scenario.releases.first { $0.origin == .candidate }?.manifest.manifest.with(release.keySets)
  }

  /// What `pintle diff` judges on the day of a plan's first step, if that is a release: it is the candidate then.
  ///
  /// Nil for worlds in which diff finds an error in the unchanged policy, whatever the plan: an exception that ends,
  /// and an active key that is assumed to be presented although not every client has it.
  package func firstRelease(of plan: RotationPlan, _ forge: Forge) throws -> Scenario? {
    guard let step = plan.steps.first, case .release(let release) = step.action,
      let manifest = manifest(of: release),
      let place = scenario.releases.firstIndex(where: { $0.origin == .candidate })
    else { return nil }
    let published = world.past.map { $0.keys.reduce(0, |) }
    let isPremature = world.hosts.contains { host in
      host.isAssumed
        && host.chains.joined().contains { key in key != 0 && !published.allSatisfy { $0 >> key & 1 != 0 } }
    }
    let hasException = world.hosts.contains { if case .excused = $0.health { true } else { false } }
    guard !isPremature, !hasException else { return nil }
    var scenario = scenario
    scenario.releases[place].manifest = try forge.manifest(manifest)
    scenario.releases[place].issued = step.earliest
    scenario.releases.removeAll { $0.origin == .planned }
    for number in scenario.servers.indices { scenario.servers[number].phases.removeAll { $0.begin > step.earliest } }
    scenario.now = step.earliest
    scenario.end = step.earliest.adding(seconds: 2 * scenario.window + 1)
    return scenario
  }
}

extension Manifest {
  /// The policy with other key sets, which doesn't go stale: releases go on.
  fileprivate func with(_ contents: [KeySetContent]) -> Manifest {
    var manifest = self
    manifest.expires = .latest
    for content in contents {
      guard let place = manifest.keySets.firstIndex(where: { $0.name == content.name }) else { continue }
      manifest.keySets[place].active = content.active.map(\.name).sorted()
      manifest.keySets[place].backup = content.backup.map(\.name).sorted()
      for key in content.keys where !manifest.keys.contains(where: { $0.name == key.name }) {
        manifest.keys.append(key)
      }
    }
    let used = Set(manifest.keySets.flatMap { $0.active + $0.backup })
    manifest.keys = manifest.keys.filter { $0.denied != nil || used.contains($0.name) }.sorted { $0.name < $1.name }
    return manifest
  }
}
