import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// A key that goes before every client has its successor.
  static let pinRemovedTooEarly = Rule(
    code: "P603",
    name: "pin-removed-too-early",
    severity: .error,
    title: "A key is dropped before every client has its successor.",
    rationale: """
      A server may change to a new key only when every client accepts that key: an adoption window after the release
      that first had it. Until then it has to present the old one. A release that drops the old key before leaves the
      server no key that all clients accept: those of the older release block the new one, those of this release the
      old one.
      """,
    failing: .rotation(
      RotationLines.api("api-2027", backup: "spare"),
      after: .rotation(5, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare")),
      .rotation(6, on: "2026-11-01", RotationLines.api("api-2025", backup: "api-2027, spare"))),
    passing: .rotation(
      RotationLines.api("api-2025", backup: "api-2027, spare"),
      after: .rotation(5, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare")),
      .rotation(6, on: "2026-11-01", RotationLines.api("api-2025", backup: "api-2027, spare"))),
    citation: "docs/rotation.md#the-life-of-a-key; RFC 7469 section 4.3",
    check: .rotation { _, facts in
      facts.groups(.removedTooEarly).compactMap { group in
        guard case .removedTooEarly(let successor, let published) = group.cause else { return nil }
        let name = facts.name(successor)
        let reach = facts.reach(of: successor, group.first.server.part)
        let date = reach ?? published.adding(seconds: facts.scenario.window)
        return facts.finding(
          group,
          "\(facts.dropped(group)) \(facts.presentation(group, still: true)), and \(group.first.release.name) drops it "
            + "less than \(Wording.duration(facts.scenario.window)) after '\(name)' was published at \(published): every "
            + "client that takes it is locked out",
          help: "Keep \(facts.dropped(group)) until \(date), when every client has '\(name)', and until the servers "
            + "present that.")
      }
    })
}
