import Diagnostics
import PinFormat
import PinRotation
import PinValidator

extension JSONWriter {
  mutating func hosts(_ servers: [Int], _ scenario: Scenario) {
    array("hosts") { writer in servers.forEach { writer.member(nil, scenario.servers[$0].label) } }
  }

  mutating func releases(_ name: String, _ releases: [Int], _ scenario: Scenario) {
    array(name) { writer in releases.forEach { writer.member(nil, scenario.releases[$0].name) } }
  }

  /// What an event says besides what it is.
  mutating func detail(_ kind: TimelineEvent.Kind, _ scenario: Scenario) {
    switch kind {
    case .release(let number), .lastClientGone(let number): releases("releases", [number], scenario)
    case .manifestExpires(let number, let action):
      releases("releases", [number], scenario)
      member("then", action.rawValue)
    case .entriesExpire(let numbers, let action):
      releases("releases", numbers, scenario)
      member("then", action.rawValue)
    case .exceptionsEnd: break
    case .serversChange(let before, let after, let source):
      array("before") { writer in before.forEach { writer.member(nil, $0) } }
      array("after") { writer in after.forEach { writer.member(nil, $0) } }
      member("source", source.name)
    case .certificateEnds(let role, let name):
      member("role", EventText.text(role))
      if !name.isEmpty { member("name", name) }
    case .keyStep(let key, let status):
      member("key", key)
      member("status", status)
    case .lockoutBegins(let blocked), .lockoutEnds(let blocked):
      releases("releases", blocked.releases, scenario)
      member("standing", blocked.isStanding)
      member("cause", blocked.cause.name)
    }
  }
}

extension LockoutCause {
  /// Its name for programs.
  var name: String {
    switch self {
    case .notYetPublished: "not-yet-published"
    case .pinRemoved: "pin-removed"
    case .removedTooEarly: "removed-too-early"
    case .disjoint: "disjoint"
    case .denied: "denied"
    case .newlyEnforced: "newly-enforced"
    case .expired(.entry): "entry-expired"
    case .expired(.manifest): "manifest-expired"
    case .untrusted: "untrusted"
    case .exceptionEnded: "exception-ended"
    case .unpinnedDenied: "unpinned-denied"
    case .other: "other"
    }
  }
}

extension ClientRelease.Origin {
  /// Its name for programs.
  var name: String {
    switch self {
    case .released: "released"
    case .candidate: "candidate"
    case .planned: "planned"
    }
  }
}

extension ServerPhase.Source {
  /// Its name for programs.
  var name: String {
    switch self {
    case .observed: "observed"
    case .assumed: "assumed"
    case .planned: "planned"
    case .afterLoss: "after-loss"
    }
  }
}
