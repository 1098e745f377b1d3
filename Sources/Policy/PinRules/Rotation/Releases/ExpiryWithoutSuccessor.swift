import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinValidator

extension Rule {
  /// A clock that runs out with no successor.
  static let expiryWithoutSuccessor = Rule(
    code: "P607",
    name: "expiry-without-successor",
    severity: .error,
    title: "An entry or a manifest expires without a successor.",
    rationale: """
      Before something expires, every client must have a newer release: so release it at least one adoption window
      earlier. If clients block after the expiry, each client without the newer release is locked out: an error. If they
      fail open, protection ends silently: a warning. It is also a warning if the newest release was already stale
      before this one (a note if staleness changes nothing). Host entries are checked up to the end of the scenario.
      Manifests are assumed to be renewed before they are stale, unless `--freeze` says that releases end.
      """,
    failing: .rotation(
      RotationLines.api("api-2025", backup: "spare", "expires: 2027-02-01", "on-expiry: block"),
      after: .rotation(
        6, on: "2026-11-01",
        RotationLines.api("api-2025", backup: "spare", "expires: 2027-02-01", "on-expiry: block"))),
    passing: .rotation(
      RotationLines.api("api-2025", backup: "spare", "expires: 2027-11-01", "on-expiry: block"),
      after: .rotation(
        6, on: "2026-11-01",
        RotationLines.api("api-2025", backup: "spare", "expires: 2027-02-01", "on-expiry: block"))),
    citation: "docs/rotation.md#findings; RFC 7469 section 2.3.3",
    check: .rotation { _, facts in Expiries(facts).findings })
}

/// The clocks of a scenario, by what happens when they run out.
private struct Expiries {
  let facts: RotationFacts

  init(_ facts: RotationFacts) {
    self.facts = facts
  }

  var findings: [Finding] {
    let groups = facts.groups(.expired)
    let told = Set(groups.map(\.place))
    return groups.map(blocking) + openEntries(except: told) + openManifest + staleNewest
  }

  private func blocking(_ group: LockoutGroup) -> Finding {
    let begin = group.first.begin
    if case .expired(.manifest) = group.cause {
      return facts.finding(
        group,
        "\(group.first.release.name) is stale from \(begin) on, and nothing is released after it: "
          + "\(facts.clients(group)) are locked out of \(facts.servers(group))",
        help: Cause.manifestExpired.remedy + " \(deadline(begin)), and regularly after that.")
    }
    return facts.finding(
      group,
      "the entry that governs \(facts.servers(group)) expires at \(begin) with no successor: "
        + "\(facts.clients(group)) are locked out",
      help: Cause.entryExpired.remedy + ", and release that \(deadline(begin)).")
  }

  /// By when a successor has to be out, so that every client has it.
  private func deadline(_ expiry: Instant) -> String {
    let last = expiry.adding(seconds: -facts.scenario.window)
    return last > facts.scenario.now ? "by \(last), so that every client has it in time" : "at once"
  }

  /// Entries that expire within the scenario and let clients go on unprotected.
  private func openEntries(except told: Set<Place>) -> [Finding] {
    var found: [(place: Place, at: Instant, action: ExpiryAction, hosts: [Policy.HostEntry])] = []
    var numbers: [Place: Int] = [:]
    for entry in facts.policy.hosts where entry.mode.value != .off {
      guard let expires = entry.expires, let action = entry.onExpiry?.value, action != .enforce,
        facts.scenario.now < expires.value, expires.value < facts.scenario.end, !told.contains(expires.place),
        entry.mode.value == .enforce || action != .reportOnly
      else { continue }
      if let number = numbers[expires.place], found[number].action == action {
        found[number].hosts.append(entry)
      } else {
        numbers[expires.place] = found.count
        found.append((expires.place, expires.value, action, [entry]))
      }
    }
    return found.map { group in
      let hosts = Wording.list(group.hosts.map(\.label), most: 4)
      return Finding(
        at: group.place,
        "\(group.hosts.count == 1 ? "the entry" : "the entries") of \(hosts) "
          + "\(group.hosts.count == 1 ? "expires" : "expire") at \(group.at) with no successor: "
          + "from then on \(consequence(group.action))",
        help: Cause.entryExpired.remedy + ", and release that \(deadline(group.at)).", severity: .warning,
        witness: facts.admission(host: group.hosts[0].host, port: group.hosts[0].port?.value, at: group.at))
    }
  }

  /// The last manifest of the scenario, where nothing is released after it.
  private var openManifest: [Finding] {
    guard let last = facts.scenario.releases.last, last.origin != .released,
      last.manifest.expires < facts.scenario.end, !facts.groups(.expired).contains(where: \.isOfManifest)
    else { return [] }
    let action = last.manifest.tables.header.onStale
    guard action == .reportOnly || action == .unpinned else { return [] }
    return [
      Finding(
        at: facts.releasePlace,
        "\(last.name) is stale from \(last.manifest.expires) on, and nothing is released after it: from then on "
          + consequence(action),
        help: Cause.manifestExpired.remedy + " \(deadline(last.manifest.expires)), and regularly after that.",
        severity: .warning)
    ]
  }

  /// The release that clients have, where it had run out before this one.
  private var staleNewest: [Finding] {
    guard facts.rotation.newest.expires <= facts.scenario.now else { return [] }
    let newest = facts.scenario.releases.last { $0.origin == .released }?.name ?? "the newest release"
    return [
      Finding(
        at: facts.releasePlace,
        "\(newest) has been stale since \(facts.rotation.newest.expires), and this is the first release after it",
        help:
          "Release this policy now: pintle build \(facts.policy.sources.folder) --unsigned -o NEXT.json "
          + facts.input.releaseOptions.map(ShellWord.of).joined(separator: " ")
          + " --issued-at now, which people sign. Then find out why releases stopped, and release by a schedule.",
        severity: facts.rotation.newest.onStale == .enforce ? .note : .warning)
    ]
  }

  private func consequence(_ action: ExpiryAction) -> String {
    switch action {
    case .unpinned where facts.policy.settings?.unpinnedHosts == .deny: "every connection is blocked"
    case .enforce: "pins are enforced as before"
    case .reportOnly: "mismatches are only reported"
    case .unpinned: "nothing is pinned"
    case .block: "every connection is blocked"
    }
  }
}

extension LockoutGroup {
  fileprivate var isOfManifest: Bool { cause == .expired(.manifest) }
}
