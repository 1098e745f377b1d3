import Diagnostics
import PinFormat
import PinRotation

/// Hosts whose time lines are equal.
struct HostGroup {
  var timeline: HostTimeline
  /// Their indices in the scenario, rising.
  var servers: [Int]
  var tone: Tone
  /// How they fare, in a few words.
  var words: String

  /// The groups, those first that somebody has to look at; then the earliest, then the first by name.
  static func groups(_ hosts: [HostTimeline], _ scenario: Scenario) -> [HostGroup] {
    var alike: [HostTimeline: [Int]] = [:]
    for (number, host) in hosts.enumerated() { alike[host, default: []].append(number) }
    return alike.map { HostGroup($0.key, servers: $0.value, scenario) }.sorted { left, right in
      if left.rank != right.rank { return left.rank < right.rank }
      let (one, other) = (left.timeline.blocked.first?.begin, right.timeline.blocked.first?.begin)
      if let one, let other, one != other { return one < other }
      if left.rank == 2, left.firstEnd != right.firstEnd {
        return left.firstEnd ?? .latest < right.firstEnd ?? .latest
      }
      return left.servers[0] < right.servers[0]
    }
  }

  private init(_ timeline: HostTimeline, servers: [Int], _ scenario: Scenario) {
    self.timeline = timeline
    self.servers = servers
    if timeline.blocked.contains(where: \.isCaused) {
      (tone, words) = (.bad, "locked out")
    } else if timeline.blocked.contains(where: { $0.extent == .every }) {
      (tone, words) = (.care, "locked out for another reason")
    } else if !timeline.blocked.isEmpty {
      (tone, words) = (.care, "partly blocked")
    } else if Self.fallsOpen(timeline, scenario) {
      (tone, words) = (.care, "pins run out")
    } else {
      (tone, words) = (.good, "reachable throughout")
    }
  }

  /// Whether pins are given up while the scenario lasts.
  private static func fallsOpen(_ timeline: HostTimeline, _ scenario: Scenario) -> Bool {
    guard let newest = scenario.releases.indices.last else { return false }
    return timeline.entries.contains {
      $0.releases.contains(newest) && $0.end < scenario.end && $0.action != .enforce
    }
  }

  private var rank: Int {
    switch (tone, words) {
    case (.bad, _): 0
    case (.care, "pins run out"): 2
    case (.care, _): 1
    default: 3
    }
  }

  /// The first thing of theirs that ends.
  var firstEnd: Instant? { (timeline.entries.map(\.end) + timeline.certificates.map(\.end)).min() }
}
