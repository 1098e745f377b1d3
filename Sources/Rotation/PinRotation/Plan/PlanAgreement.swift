package import PinFormat

/// Plans of several audiences, whose clients connect to the same servers, that agree on when these present which key.
package struct PlanAgreement: Sendable {
  /// For each step that concerns several audiences, the date of the one that lasts longest.
  package private(set) var bounds: [RotationBound] = []
  /// The plan of each audience after these bounds, in the order in which they were named; nil where it has no servers.
  package private(set) var plans: [RotationPlan?] = []

  /// Plans for each audience until the plans agree.
  ///
  /// To put off one step puts off those behind it, so plans are made until their dates stay. A refuge has to be one for
  /// the clients of all: of those that aren't in all plans, each is tried alone, and then none.
  ///
  /// - Parameters:
  ///   - audiences: The names of the audiences.
  ///   - plan: The plan of an audience, by its number, after some bounds; nil where it has no servers.
  /// - Returns: Nil where the plans don't come to agree.
  /// - Throws: What `plan` throws.
  package static func find<Failure>(
    among audiences: [String], _ plan: (Int, [RotationBound]) throws(Failure) -> RotationPlan?
  ) throws(Failure) -> PlanAgreement? {
    guard var found = try settled(audiences, [], plan) else { return nil }
    let refuges = found.unshared(audiences)
    for kept in refuges {
      let others = refuges.filter { $0 != kept }
      if let one = try settled(audiences, others, plan), one.unshared(audiences).isEmpty { return one }
    }
    // What is barred isn't planned again, so each round bars others.
    var barred: [RotationBound] = []
    while true {
      let more = found.unshared(audiences)
      guard !more.isEmpty else { return found }
      barred += more
      guard let next = try settled(audiences, barred, plan) else { return nil }
      found = next
    }
  }

  /// Plans until dates stay, without the barred refuges; nil where they don't.
  private static func settled<Failure>(
    _ audiences: [String], _ barred: [RotationBound], _ plan: (Int, [RotationBound]) throws(Failure) -> RotationPlan?
  ) throws(Failure) -> PlanAgreement? {
    var found = PlanAgreement(bounds: barred)
    for _ in 0..<mostRounds {
      found.plans = []
      for number in audiences.indices { found.plans.append(try plan(number, found.bounds)) }
      var latest: [RotationBound.Step: RotationBound] = [:]
      for (audience, plan) in zip(audiences, found.plans) {
        for bound in plan?.bounds(of: audience) ?? []
        where latest[bound.step].map({ $0.earliest < bound.earliest }) ?? true {
          latest[bound.step] = bound
        }
      }
      for bound in barred { latest[bound.step] = bound }
      guard Set(latest.values) != Set(found.bounds) else { return found }
      found.bounds = latest.values.sorted { ($0.earliest, $0.audience) < ($1.earliest, $1.audience) }
    }
    return nil
  }

  /// A plan has three steps on which others depend, and each round settles one at least.
  private static let mostRounds = 8

  /// Bars the refuges of servers that another audience's plan changes without them.
  private func unshared(_ audiences: [String]) -> [RotationBound] {
    var bounds: [RotationBound] = []
    for (audience, plan) in zip(audiences, plans) {
      guard let theirs = plan?.changes else { continue }
      for other in plans.compactMap(\.self) {
        for pin in other.refuges(unlike: theirs) where !bounds.contains(where: { $0.step == .serve(pin) }) {
          bounds.append(RotationBound(step: .serve(pin), earliest: .latest, audience: audience))
        }
      }
    }
    return bounds
  }
}

extension RotationPlan {
  /// What the clients of an audience ask for of the steps that other audiences take too.
  ///
  /// - Parameter audience: The audience that the plan was made for.
  /// - Returns: The dates of server changes, and of the last release.
  package func bounds(of audience: String) -> [RotationBound] {
    steps.enumerated().compactMap { number, step in
      // A step that waits for another audience is still that one's.
      let cause = if case .audience(let other) = step.reason { other } else { audience }
      switch step.action {
      case .serve(let change):
        return RotationBound(step: .serve(change.key.pin), earliest: step.earliest, audience: cause)
      case .release:
        guard number == steps.count - 1 else { return nil }
        return RotationBound(step: .outcome, earliest: step.earliest, audience: cause)
      }
    }
  }

  /// The keys that each server changes to, in order, by its label.
  package var changes: [String: [Pin]] {
    var changes: [String: [Pin]] = [:]
    for step in steps {
      guard case .serve(let change) = step.action else { continue }
      for server in change.servers { changes[played.servers[server].label, default: []].append(change.key.pin) }
    }
    return changes
  }

  /// The refuges of servers for which another plan, which changes them too, doesn't have them.
  fileprivate func refuges(unlike theirs: [String: [Pin]]) -> [Pin] {
    steps.compactMap { step in
      guard case .serve(let change) = step.action, change.isRefuge else { return nil }
      let isUnshared = change.servers.contains { server in
        theirs[played.servers[server].label].map { !$0.contains(change.key.pin) } ?? false
      }
      return isUnshared ? change.key.pin : nil
    }
  }

  /// The plan as it was played, but for some servers that another plan changes.
  package func played(with servers: [Server]) -> Scenario {
    let count = played.releases.count { $0.origin == .released }
    let others = Dictionary(servers.map { ($0.label, $0) }) { first, _ in first }
    var scenario = played
    for number in scenario.servers.indices {
      guard var server = others[scenario.servers[number].label] else { continue }
      server.phases = server.phases.map { $0.seen(byReleasesBehind: count, of: played.releases.count) }
      scenario.servers[number] = server
    }
    return scenario
  }
}
