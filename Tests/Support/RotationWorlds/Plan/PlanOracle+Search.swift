extension PlanOracle {
  /// Beyond this tick nothing changes any more by itself, whatever is done up to another one.
  private func horizon(after tick: Int) -> Int {
    let clocks = world.past.flatMap { [$0.staleFrom, $0.unpinnedFrom] }.compactMap { $0 }
    return max(tick, clocks.max() ?? 0) + world.window + 1
  }

  /// Why a plan isn't safe, or doesn't come to the goal; nil where it is and does.
  package func objection(to plan: [DatedStep]) -> String? {
    var state = State(world)
    for dated in plan {
      while state.tick < dated.tick {
        state.tick += 1
        if !isSafe(state) { return "somebody is locked out at \(state.tick), before \(dated.step)" }
      }
      if case .serve(let hosts, let key) = dated.step,
        state.hosts.indices.contains(where: { hosts >> $0 & 1 != 0 && !needsChange(state.hosts[$0], to: key) })
      {
        return "\(dated.step) changes a host that doesn't need it"
      }
      state = applying(dated.step, to: state)
      if mistake != .stepsOfATickAreOne, !isSafe(state) { return "\(dated.step) locks somebody out at \(state.tick)" }
    }
    if !staysSafe(state, until: horizon(after: state.tick)) { return "somebody is locked out after the last step" }
    let missing = missing(state)
    if missing.serve { return "not all hosts present the target in the end" }
    return missing.release ? "the last release isn't what the goal leaves" : nil
  }

  /// A safe sequence to the goal that is better than a plan; nil for none.
  ///
  /// It has fewer steps; or as many, with fewer changes of servers; or as many of both, and its last step or any other is
  /// earlier than the plan's of that number. To wait costs less than to change servers a second time.
  ///
  /// Tries every sequence of releases, with any set of keys, and of changes, of any hosts to any key, at any ticks. A
  /// sequence is given up where it has locked somebody out, or has fewer steps left than are missing: a step brings
  /// either the hosts or the releases to the goal, never both.
  package func better(than plan: [DatedStep]) -> [DatedStep]? {
    let hosts = 1 << world.hosts.count
    let steps: [PlainStep] =
      (1..<8).map { .release($0 << 1) }
      + (1..<hosts).flatMap { hosts in (1...3).map { .serve(hosts: hosts, key: $0) } }
    return search(State(world), steps, plan, until: (plan.last?.tick ?? 0) + 1)
  }

  private func search(_ state: State, _ steps: [PlainStep], _ plan: [DatedStep], until end: Int) -> [DatedStep]? {
    let missing = missing(state)
    let need = (missing.serve ? 1 : 0) + (missing.release ? 1 : 0)
    let left = plan.count - state.steps.count
    if need > left { return nil }
    let areOne = mistake == .stepsOfATickAreOne
    if need == 0, isBetter(state.steps, than: plan), !areOne || isSafe(state),
      staysSafe(state, until: horizon(after: state.tick))
    {
      return state.steps
    }
    if left > 0 {
      for step in steps {
        let next = applying(step, to: state)
        if areOne || isSafe(next), let found = search(next, steps, plan, until: end) { return found }
      }
    }
    var later = state
    later.tick += 1
    guard left > 0, later.tick <= end, !areOne || isSafe(state), isSafe(later) else { return nil }
    return search(later, steps, plan, until: end)
  }

  private func isBetter(_ steps: [DatedStep], than plan: [DatedStep]) -> Bool {
    guard steps.count == plan.count else { return steps.count < plan.count }
    guard let last = steps.last, let planned = plan.last else { return false }
    let (changes, plannedChanges) = (steps.filter(\.isChange).count, plan.filter(\.isChange).count)
    if changes != plannedChanges { return changes < plannedChanges }
    if last.tick < planned.tick { return true }
    return zip(steps, plan).contains { $0.tick < $1.tick }
  }
}

extension DatedStep {
  fileprivate var isChange: Bool {
    if case .serve = step { true } else { false }
  }
}
