extension SimulationTimeline {
  /// The most telling events, in order of time, and how many are left out.
  package func digest(_ limit: Int) -> (events: [TimelineEvent], leftOut: Int) {
    guard events.count > limit else { return (events, 0) }
    let kept = events.indices
      .sorted { (events[$0].kind.weight, $0) < (events[$1].kind.weight, $1) }
      .prefix(limit).sorted()
    return (kept.map { events[$0] }, events.count - kept.count)
  }
}

extension TimelineEvent.Kind {
  /// How readily an event is left out where there are too many: the smallest last.
  fileprivate var weight: Int {
    switch self {
    case .lockoutBegins(let blocked): blocked.extent == .every && !blocked.isStanding ? 0 : 1
    case .lockoutEnds: 2
    case .release, .lastClientGone, .manifestExpires: 3
    case .keyStep, .serversChange: 4
    case .entriesExpire, .exceptionsEnd: 5
    case .certificateEnds(let role, _): role == .leaf ? 7 : 6
    }
  }
}
