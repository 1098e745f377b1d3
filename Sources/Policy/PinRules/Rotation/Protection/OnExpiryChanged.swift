import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// Another consequence of an expiry.
  static let onExpiryChanged = Rule(
    code: "P608",
    name: "on-expiry-changed",
    severity: .warning,
    title: "What happens after an expiry has changed.",
    rationale: """
      `on-expiry` decides what happens if nobody renews an entry in time. A change from `block` to `unpinned` turns an
      outage into a silent loss of protection; the other way round, it turns that into an outage. Neither shows before
      the day comes, so the change is reported when it is made. `on-stale` is the same for the whole manifest.
      """,
    failing: .rotation(
      RotationLines.api("api-2025", backup: "spare", "expires: 2027-11-01", "on-expiry: unpinned"),
      after: .rotation(
        6, on: "2026-05-01",
        RotationLines.api("api-2025", backup: "spare", "expires: 2027-05-01", "on-expiry: enforce"))),
    passing: .rotation(
      RotationLines.api("api-2025", backup: "spare", "expires: 2027-11-01", "on-expiry: enforce"),
      after: .rotation(
        6, on: "2026-05-01",
        RotationLines.api("api-2025", backup: "spare", "expires: 2027-05-01", "on-expiry: enforce"))),
    citation: "docs/rotation.md#findings; RFC 7469 section 2.3.3",
    check: .rotation { _, facts in facts.changedConsequences })
}

extension RotationFacts {
  fileprivate var changedConsequences: [Finding] {
    var phrases = HostPhrases()
    for change in fieldChanges {
      // Another rule reports a first expiry with which an entry would fail open.
      guard case .value(.onExpiry, from: .text(let from), to: .text(let to)) = change.field else { continue }
      let place = change.entry.onExpiry?.place ?? change.entry.written.place
      phrases.add(change, "goes from '\(from)' to '\(to)'", at: place)
    }
    return phrases.groups.map { group in
      let first = group.first
      return Finding(
        at: group.place, "'on-expiry' of \(group.hosts) \(group.phrase)",
        help: "Say in the review who watches the expiry, and what should happen then.",
        witness: first.entry.expires.flatMap {
          admission(host: first.change.host, port: first.change.port, at: max($0.value, scenario.now))
        })
    } + staleness
  }

  private var staleness: [Finding] {
    rotation.changes.settings.filter { $0.field == "on-stale" }.map { change in
      Finding(
        at: releasePlace, "'on-stale' goes from '\(change.before)' to '\(change.after)'",
        help: "Say in the review who notices that no manifest was released, and what is to happen then.")
    }
  }
}
