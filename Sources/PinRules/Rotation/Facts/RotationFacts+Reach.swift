import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

/// When clients have what a release says.
extension RotationFacts {
  /// The first instant at which every client runs this release or a later one.
  func everyClientRuns(from release: Int) -> Instant {
    scenario.releases[..<release].indices.reduce(scenario.releases[release].issued) { latest, earlier in
      max(latest, scenario.run(ofRelease: earlier).end ?? latest)
    }
  }

  /// The first instant from which on every client accepts a key of a server; nil where the last release doesn't.
  func reach(of pin: Pin, server: Int) -> Instant? {
    var first: Int?
    for release in scenario.releases.indices.reversed() {
      if let accepted = acceptedKeys(ofRelease: release, server: server), !accepted.contains(pin) { break }
      first = release
    }
    return first.map { everyClientRuns(from: $0) }
  }

  /// The key of the policy's set that comes next for a server, and when every client accepts it: the earliest but those
  /// given, the active ones first among equals.
  func successor(ofServer server: Int, except keys: [Pin]) -> (name: String, reach: Instant)? {
    let members = keySet(ofServer: server)?.members ?? []
    let found = members.compactMap { member -> (name: String, reach: Instant)? in
      guard let pin = policy.keys[member.key].pin, !keys.contains(pin), policy.keys[member.key].denied == nil,
        let reach = reach(of: pin, server: server)
      else { return nil }
      return (policy.keys[member.key].name.value, reach)
    }
    return found.enumerated().min { ($0.element.reach, $0.offset) < ($1.element.reach, $1.offset) }?.element
  }

  /// `'api-2027' reaches every client by …`, or that it has reached them.
  func reachText(_ name: String, _ instant: Instant) -> String {
    instant <= scenario.now ? "every client has '\(name)' already" : "'\(name)' reaches every client by \(instant)"
  }
}
