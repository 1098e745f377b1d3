package import PinFormat

/// What an event is called in words.
package struct EventText {
  private let scenario: Scenario
  private let cause: CauseText

  package init(_ timeline: SimulationTimeline) {
    scenario = timeline.scenario
    cause = CauseText(timeline.scenario, timeline.names)
  }

  /// A clause that leaves out which hosts it concerns.
  package func text(_ event: TimelineEvent) -> String {
    let count = event.servers.count
    switch event.kind {
    case .release(let number):
      return scenario.releases[number].origin == .released ? "\(name(number)) came out" : "\(name(number)) is released"
    case .lastClientGone(let number): return "the last client of \(name(number)) is gone"
    case .manifestExpires(let number, let action): return "\(name(number)) is stale: \(Self.text(action))"
    case .entriesExpire(let releases, let action):
      let entries = count == 1 ? "the entry" : "the entries"
      return "\(entries) in \(list(releases)) \(count == 1 ? "expires" : "expire"): \(Self.text(action))"
    case .exceptionsEnd: return count == 1 ? "a trust exception ends" : "trust exceptions end"
    case .serversChange(let before, let after, let source): return change(before, after, source, count)
    case .certificateEnds(let role, let name):
      return role == .leaf
        ? count == 1 ? "the leaf certificate ends" : "leaf certificates end"
        : "the \(Self.text(role)) certificate '\(name)' ends"
    case .keyStep(let key, let status): return "key '\(key)' is to be \(status)"
    case .lockoutBegins(let blocked):
      let reason = cause.reason(blocked.cause)
      return switch (blocked.extent, blocked.isStanding) {
      case (.every, false): "LOCKED OUT: clients with \(name(blocked.release)): \(reason)"
      case (.every, true): "already locked out: clients with \(name(blocked.release)): \(reason)"
      case (.some, _): "in part blocked: clients with \(name(blocked.release)): \(reason)"
      }
    case .lockoutEnds(let release, let extent, _):
      let gone = scenario.run(ofRelease: release).end == event.instant
      let what = extent == .every ? "locked out" : "blocked in part"
      return gone
        ? "the last client with \(name(release)) that is \(what) is gone"
        : "clients with \(name(release)) are no longer \(what)"
    }
  }

  /// What holds from an expiry on.
  package static func text(_ action: ExpiryAction) -> String {
    switch action {
    case .enforce: "pins are enforced as before"
    case .reportOnly: "pins only report from then on"
    case .unpinned: "hosts aren't pinned from then on"
    case .block: "clients block from then on"
    }
  }

  package static func text(_ role: CertificateSpan.Role) -> String {
    switch role {
    case .leaf: "leaf"
    case .intermediate: "intermediate"
    case .root: "root"
    }
  }

  private func change(_ before: [String], _ after: [String], _ source: ServerPhase.Source, _ count: Int) -> String {
    let verb = count == 1 ? "changes" : "change"
    let new = after.isEmpty ? "a key that no manifest has" : Self.quoted(after)
    let old = before.isEmpty ? "" : " from \(Self.quoted(before))"
    let why = source == .afterLoss ? ", since a key is lost" : ""
    return "\(count == 1 ? "the server" : "servers") \(verb)\(old) to \(new)\(why)"
  }

  /// `'leaf-key'`, `'leaf-key' below 'root'`.
  package static func quoted(_ keys: [String]) -> String {
    keys.map { "'\($0)'" }.joined(separator: ", ")
  }

  private func name(_ release: Int) -> String { scenario.releases[release].name }

  /// The names of some releases, the first few of many.
  private func list(_ releases: [Int]) -> String {
    let shown = releases.prefix(3).map(name).joined(separator: ", ")
    return releases.count > 3 ? "\(shown) and \(releases.count - 3) more" : shown
  }
}
