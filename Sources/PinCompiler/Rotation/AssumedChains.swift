import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinValidator

/// What servers are taken to present that nobody looked at.
///
/// Any key that the newest release or the policy lists as active: each may be the one. Of a set without active keys it
/// is any backup, since something has to be presented. A key that its steps make active later isn't presented yet.
/// Where neither pins the host any more, the newest release that does says which keys are active.
struct AssumedChains {
  private let plan: RotationReleases
  private let standings: KeyStandings
  private let instant: Instant
  /// The keys that are still to become active.
  private let upcoming: Set<String>
  private var known: [Source: [Landing]] = [:]

  /// All that the chains of a governing entry depend on.
  private struct Source: Hashable {
    var release: Int
    var keySet: Int
    var requirement: Requirement
    var isOneCertificate: Bool
  }

  init(_ question: RotationQuestion, _ plan: RotationReleases, _ standings: KeyStandings) {
    self.plan = plan
    self.standings = standings
    instant = question.now
    upcoming = Set(
      question.policy.policy.keys.filter { question.now < $0.steps.active?.value ?? question.now }.map(\.name.value))
  }

  /// Where a connection may end up; empty where no release pins the server.
  mutating func landings(at place: ServerPlace) -> [Landing] {
    var landings: [Landing] = []
    let newest = [plan.candidateNumber] + (plan.newestNumber.map { [$0] } ?? [])
    for release in newest { add(release, place, to: &landings) }
    for release in (0..<(plan.newestNumber ?? 0)).reversed() where landings.isEmpty {
      add(release, place, to: &landings)
    }
    return landings
  }

  private mutating func add(_ release: Int, _ place: ServerPlace, to landings: inout [Landing]) {
    let manifest = plan.releases[release].manifest
    guard case .pinned(let entry) = manifest.govern(host: place.host.text, port: place.port, at: instant),
      let keySet = manifest.tables.hosts[entry.number].keySet
    else { return }
    let source = Source(
      release: release, keySet: keySet, requirement: manifest.tables.hosts[entry.number].requirement,
      isOneCertificate: manifest.tables.trust(ofHost: entry.number)?.certificate != nil)
    let found = known[source] ?? chains(of: source)
    known[source] = found
    for landing in found where !landings.contains(where: { $0.trust == landing.trust }) { landings.append(landing) }
  }

  private func chains(of source: Source) -> [Landing] {
    let tables = plan.releases[source.release].manifest.tables
    var active: [StandingKey] = []
    var backup: [StandingKey] = []
    for member in tables.members(ofKeySet: source.keySet).map({ tables.member($0) }) {
      guard let pin = tables.pin(ofKey: member.key) else { continue }
      let key = StandingKey(
        name: tables.name(ofKey: member.key), pin: pin,
        position: standings.standing(of: pin, position: tables.keys[member.key].position))
      if member.isBackup { backup.append(key) } else { active.append(key) }
    }
    let current = active.filter { !upcoming.contains($0.name) }
    if !current.isEmpty { active = current }
    let keys = active.isEmpty ? backup : active
    if source.isOneCertificate { return keys.map { landing([$0], PresentedChain([$0.pin]), backup) } }
    guard source.requirement == .leafAndCA else { return keys.map { landing([$0], $0.chain, backup) } }
    // One of each is presented, or nobody would get through; so a half that no active key can be is a backup.
    func half(_ isLeaf: Bool) -> [StandingKey] {
      let half = keys.filter { ($0.position == .leaf) == isLeaf }
      return half.isEmpty ? backup.filter { ($0.position == .leaf) == isLeaf } : half
    }
    let (leaves, authorities) = (half(true), half(false))
    guard !leaves.isEmpty, !authorities.isEmpty else { return keys.map { landing([$0], $0.chain, backup) } }
    return leaves.flatMap { leaf in
      authorities.map { landing([leaf, $0], PresentedChain([leaf.pin] + $0.above), backup) }
    }
  }

  private func landing(_ keys: [StandingKey], _ chain: PresentedChain, _ backup: [StandingKey]) -> Landing {
    let names = keys.map { (backup.contains($0) ? "backup key '" : "active key '") + $0.name + "'" }
    return Landing(place: names.joined(separator: " and "), trust: .trusted(chain))
  }
}
