package import PinFormat

extension RotationBound {
  /// The bounds on which the plans of several audiences agree.
  ///
  /// To put off one step puts off those behind it, so plans are made until their dates stay. A refuge that isn't one for
  /// the clients of another audience is none for anybody: the servers are the same.
  ///
  /// - Parameters:
  ///   - audiences: The names of the audiences.
  ///   - plan: The plan of an audience, by its number, after some bounds; nil where it has no servers.
  /// - Returns: For each step, the bound of the audience that lasts longest; nil where the plans don't come to agree.
  /// - Throws: What `plan` throws.
  package static func settled<Failure>(
    among audiences: [String], _ plan: (Int, [RotationBound]) throws(Failure) -> RotationPlan?
  ) throws(Failure) -> [RotationBound]? {
    var bounds: Set<RotationBound> = []
    var barred: [Step: RotationBound] = [:]
    for _ in 0..<mostRounds {
      let asked = bounds.sorted { ($0.earliest, $0.audience) < ($1.earliest, $1.audience) }
      var plans: [(audience: String, plan: RotationPlan)] = []
      for (number, audience) in audiences.enumerated() {
        if let plan = try plan(number, asked) { plans.append((audience, plan)) }
      }
      var latest: [Step: RotationBound] = [:]
      for bound in plans.flatMap({ $1.bounds(of: $0) })
      where latest[bound.step].map({ $0.earliest < bound.earliest }) ?? true {
        latest[bound.step] = bound
      }
      for (audience, plan) in plans {
        let unshared = plans.flatMap { other in other.plan.refuges(unlike: plan) }
        for pin in unshared {
          let step = Step.serve(pin)
          barred[step] = barred[step] ?? RotationBound(step: step, earliest: .latest, audience: audience)
        }
      }
      latest.merge(barred) { $1 }
      guard Set(latest.values) != bounds else { return asked }
      bounds = Set(latest.values)
    }
    return nil
  }

  /// A plan has three steps on which others depend, and a key set some backups to take refuge in.
  private static let mostRounds = 32
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
  fileprivate func refuges(unlike other: RotationPlan) -> [Pin] {
    let theirs = other.changes
    return steps.compactMap { step in
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
