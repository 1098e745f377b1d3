import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// A key that is removed from the policy while servers present it.
  static let servedPinRemoved = Rule(
    code: "P601",
    name: "served-pin-removed",
    severity: .error,
    title: "A key that a server presents is no longer pinned.",
    rationale: """
      Every client that loads this release blocks the server, until the release is replaced or the server changes. A key
      is removed last: first every client gets its successor, then the servers change to it, then the old key is
      removed. Evidence says what servers present; without it, a server may present every key that the newest
      release or the policy lists as active.
      """,
    failing: .rotation(
      RotationLines.api("api-2027", backup: "spare"),
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "api-2027, spare"))),
    passing: .rotation(
      RotationLines.api("api-2027", backup: "api-2025, spare"),
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "api-2027, spare"))),
    citation: "docs/rotation.md#safe-and-resilient; RFC 7469 section 4.3",
    check: .rotation { _, facts in
      facts.groups(.pinRemoved).map { group in
        facts.finding(
          group,
          "\(facts.dropped(group)) \(facts.presentation(group, still: true)), and \(group.first.release.name) no longer "
            + "\(group.keys.count > 1 ? "pins them" : "pins it"): every client that takes it is locked out",
          help: facts.keepHelp(group))
      }
    })
}

extension RotationFacts {
  /// The keys that a release drops, or what stands for them where none is known.
  func dropped(_ group: LockoutGroup) -> String { group.keys.isEmpty ? "a key" : keyList(group.keys) }

  /// What to do where a key leaves before the servers have changed.
  func keepHelp(_ group: LockoutGroup) -> String {
    let place = setTitle(group).map { " in \($0)" } ?? ""
    let keep = "Keep \(dropped(group))\(place) until the servers have changed"
    guard let next = successor(of: group.first.server.part, except: group.keys) else {
      return keep + "; add the key that they change to, and wait for as long as clients keep an older manifest."
    }
    return keep + "; \(reachText(next.name, next.reach))."
  }
}
