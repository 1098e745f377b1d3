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
    case .lastClientGone(let number): return "no client runs \(name(number)) any longer"
    case .manifestExpires(let number, let action): return "\(name(number)) is stale: \(Self.text(action))"
    case .entriesExpire(let releases, let action):
      let entries = count == 1 ? "the entry" : "the entries"
      return "\(entries) in \(list(releases, " and ")) \(count == 1 ? "expires" : "expire"): \(Self.text(action))"
    case .exceptionsEnd: return count == 1 ? "a trust exception ends" : "trust exceptions end"
    case .serversChange(let before, let after, let source): return change(before, after, source, count)
    case .certificateEnds(let role, let name):
      return role == .leaf
        ? count == 1 ? "the leaf certificate ends" : "leaf certificates end"
        : "the \(Self.text(role)) certificate '\(name)' ends"
    case .keyStep(let key, let status): return "key '\(key)' is planned to be \(status)"
    case .lockoutBegins(let blocked):
      return switch (blocked.extent, blocked.isStanding) {
      case (.every, false): "LOCKED OUT: " + plain(event)
      case (.every, true): "locked out for another reason: " + plain(event)
      case (.some, _): "partly blocked: " + plain(event)
      }
    case .lockoutEnds(let blocked):
      let areGone = blocked.releases.allSatisfy { scenario.run(ofRelease: $0).end == event.instant }
      let what = blocked.extent == .every ? "locked out" : "partly blocked"
      return areGone
        ? "no client runs \(alternatives(blocked.releases)) any longer; those clients were \(what)"
        : "clients with \(alternatives(blocked.releases)) are no longer \(what)"
    }
  }

  /// The same where something else says already that somebody is blocked.
  package func plain(_ event: TimelineEvent) -> String {
    guard case .lockoutBegins(let blocked) = event.kind else { return text(event) }
    return "clients with \(alternatives(blocked.releases)): \(cause.reason(blocked.cause))"
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
    let why = source == .afterLoss ? ", because a key is lost" : ""
    return "\(count == 1 ? "the server" : "servers") \(verb)\(old) to \(new)\(why)"
  }

  /// `'leaf-key', 'root'`.
  package static func quoted(_ keys: [String]) -> String {
    keys.map { "'\($0)'" }.joined(separator: ", ")
  }

  /// `serial 6`, `serial 6 or serial 7`.
  package func alternatives(_ releases: [Int]) -> String { list(releases, " or ") }

  private func name(_ release: Int) -> String { scenario.releases[release].name }

  /// The names of some releases, the first few of many.
  private func list(_ releases: [Int], _ conjunction: String) -> String {
    let names = releases.map(name)
    if names.count > 4 { return names.prefix(3).joined(separator: ", ") + conjunction + "\(names.count - 3) others" }
    return names.dropLast().joined(separator: ", ") + (names.count > 1 ? conjunction : "") + (names.last ?? "")
  }
}
