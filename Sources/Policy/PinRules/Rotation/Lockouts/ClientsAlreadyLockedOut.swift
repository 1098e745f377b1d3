import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinValidator

extension Rule {
  /// Clients that a release of the past keeps out.
  static let clientsAlreadyLockedOut = Rule(
    code: "P614",
    name: "clients-already-locked-out",
    severity: .warning,
    title: "Clients of an earlier release are already locked out.",
    rationale: """
      These clients run an earlier manifest that doesn't accept what the server presents. A new release can't change
      that until they load it, so this finding doesn't block the release, which may even be the fix. Without evidence,
      servers are assumed to present the keys that the newest release lists as active; this finding then names the keys
      that an older release, which some clients may still run, doesn't have. It says "may be" if those clients accept
      another chain that the servers may present.
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
          "\(facts.clients(group)) \(facts.isCertain(group.first) ? "are" : "may be") locked out of \(facts.servers(group)) \(facts.since(group)): "
            + group.first.reason,
          help: facts.standingHelp(group))
      }
    })
}

extension RotationFacts {
  /// Whether it is so now, or comes by itself, as when a manifest that is out runs out.
  fileprivate func since(_ group: LockoutGroup) -> String {
    group.first.begin <= scenario.now ? "already" : "from \(group.first.begin) on, with any release"
  }

  /// False if clients accept another chain that the server may present as well, because nobody looked.
  fileprivate func isCertain(_ lockout: Lockout) -> Bool {
    guard lockout.phase.source == .assumed else { return true }
    let governance = lockout.release.part.governance(of: lockout.server.part, at: lockout.begin, .pins)
    return !lockout.phase.part.views(ofRelease: lockout.release.number).flatMap(\.landings).contains {
      lockout.release.manifest.passes($0.trust.chain, governance)
    }
  }

  /// Who is helped by this release, and when the others are.
  fileprivate func standingHelp(_ group: LockoutGroup) -> String {
    let isEnded =
      candidate.map { candidate in
        !rotation.lockouts.contains {
          $0.release.number == candidate && $0.extent == .every && group.servers.contains($0.server)
        }
      } ?? false
    let end = group.releases.compactMap { scenario.run(ofRelease: $0.number).end }.max() ?? scenario.end
    let fix = "each client can connect once it has loaded the release, the last one by \(end)."
    switch LockoutCauses(scenario).cause(of: group.first) {
    // Whatever key the servers present, these clients stay locked out.
    case .expired where isEnded, .unpinnedDenied where isEnded:
      return "This release fixes it: " + fix
    case .expired(let clock):
      return Cause(.expired(clock)).remedy + ". Clients that load it in time aren't locked out."
    case .unpinnedDenied:
      return Cause.unpinnedHost.remedy + "."
    default:
      let present = "Fastest and safest: have the servers present \(acceptedKey(group)). "
      return isEnded
        ? present + "They can then connect at once. This release also fixes it: " + fix + keysToKeep(group)
        : present + "Keep that key in this policy."
    }
  }

  /// Says which keys leave too early for clients that matched them on the day before.
  ///
  /// Their activation guard rejects such a release (docs/updates.md), so they stay locked out for a day more. A denied
  /// key doesn't count there.
  private func keysToKeep(_ group: LockoutGroup) -> String {
    guard let candidate = candidate.map({ scenario.releases[$0].manifest }),
      let newest = scenario.releases.last(where: { $0.origin == .released })?.manifest
    else { return "" }
    var removed: Set<Pin> = []
    for server in group.servers {
      func keys(_ manifest: LoadedManifest) -> [EntryKey] {
        manifest.entryKeys(host: server.host.text, port: server.port)
      }
      let kept = Set(keys(candidate).map(\.pin))
      let matched = keys(newest).filter { !$0.isBackup }
      removed.formUnion(matched.map(\.pin).filter { !kept.contains($0) && candidate.denial(of: $0) == nil })
    }
    let keys = removed.compactMap { names[$0] }.sorted()
    guard !keys.isEmpty else { return "" }
    return " But clients that matched \(Wording.list(keys, joinedBy: "or")) within the last day reject it "
      + "('refuses-recent-chain'): keep \(keys.count == 1 ? "that key" : "those keys") for another day."
  }

  /// Names a key of the policy that all these clients accept and that the server doesn't present, a backup if there is one.
  private func acceptedKey(_ group: LockoutGroup) -> String {
    let presented = group.first.landing.trust.chain.pins
    let isPair = entry(of: group.first.server.part)?.requirement?.value == .leafAndCA
    let set = keySet(of: group.first.server.part)
    // With `leaf-and-ca` a single key isn't enough.
    let members = isPair ? [] : (set?.backup ?? []) + (set?.active ?? [])
    let name = members.lazy.map { policy.keys[$0.key] }.first { key in
      guard let pin = key.pin, key.denied == nil, !presented.contains(pin) else { return false }
      return group.releases.allSatisfy { release in
        group.servers.allSatisfy { acceptedKeys(ofRelease: release.number, $0.part)?.contains(pin) ?? false }
      }
    }?.name.value
    return name.map { "a chain with the key '\($0)', which these clients accept" }
      ?? "a key that these clients accept, such as the backup"
  }
}
