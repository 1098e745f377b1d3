import Diagnostics
import PinFormat
import PinPolicy
import PinRotation

extension Rule {
  /// Clients that a release of the past keeps out.
  static let clientsAlreadyLockedOut = Rule(
    code: "P614",
    name: "clients-already-locked-out",
    severity: .warning,
    title: "Clients of a release that is out are locked out already.",
    rationale: """
      They run a manifest that is released, and the server presents what it presents: nothing that is released now
      changes what they decide until they take it. So it doesn't stand in the way of this release, which may be the one
      that ends it. Without evidence it is said of keys that the newest release lists as active and that an older one,
      which some clients may still run, doesn't have.
      """,
    failing: .rotation(
      RotationLines.api("api-2027", backup: "spare"),
      after: .rotation(5, on: "2026-05-01", RotationLines.api("api-2025", backup: "spare")),
      .rotation(6, on: "2026-11-01", RotationLines.api("api-2027", backup: "spare"))),
    passing: .rotation(
      RotationLines.api("api-2027", backup: "api-2025, spare"),
      after: .rotation(6, on: "2026-05-01", RotationLines.api("api-2025", backup: "api-2027, spare"))),
    citation: "docs/rotation.md#safe-and-resilient",
    check: .rotation { _, facts in
      facts.groups(.standing).map { group in
        facts.finding(
          group,
          "\(facts.clients(group.releases)) are locked out of \(facts.servers(group)) \(facts.since(group)): "
            + facts.reason(of: group.first),
          help: facts.standingHelp(group))
      }
    })
}

extension RotationFacts {
  /// Whether it is so now, or comes by itself, as when a manifest that is out runs out.
  fileprivate func since(_ group: LockoutGroup) -> String {
    group.first.begin <= scenario.now ? "already" : "from \(group.first.begin) on, whatever is released now"
  }

  /// Who is helped by this release, and when the others are.
  fileprivate func standingHelp(_ group: LockoutGroup) -> String {
    let isEnded = candidate.map { candidate in
      !rotation.lockouts.contains {
        $0.release == candidate && $0.extent == .every && group.servers.contains($0.server)
      }
    }
    guard isEnded ?? false else {
      if case .expired = LockoutCauses(scenario).cause(of: group.first) {
        return "Release a manifest with a later 'expires:'. Clients that take it in time aren't locked out."
      }
      return "Fastest and safest: have the servers present a key that these clients accept, such as the backup. "
        + "Pin that key in this policy too."
    }
    let end = group.releases.compactMap { scenario.run(ofRelease: $0).end }.max() ?? scenario.end
    return "Fastest and safest: have the servers present a key that these clients accept, such as the backup. That "
      + "ends it at once. Releasing this policy ends it for each client when it takes the release, for the last by "
      + "\(end)."
  }
}
