import Diagnostics
import PinFormat
import PinPolicy
import PinRotation
import PinValidator

/// What servers are taken to present that nobody looked at.
///
/// Any key that the newest release or the policy lists as active: each may be the one. Of a set without active keys it
/// is any backup, since something has to be presented. A key that its steps make active later isn't presented yet, as
/// long as the policy accepts it nevertheless; one that the policy says is served by now may be presented, whatever
/// list it is in. Where a leaf and an authority are required, all that holds for the leaves and for the authorities of
/// the set. Where it leaves no key, as neither pins the host any more or all active keys are to come, older releases
/// say which are active, the newest of them first; and where they don't know either, the backups may be presented.
///
/// Clocks count for nothing here: what has run out changes what clients make of a chain, not what servers present.
struct AssumedChains {
  private let plan: RotationReleases
  private let standings: KeyStandings
  /// The keys that are still to become active.
  private let upcoming: Set<Pin>
  /// The keys that the policy says are served by now.
  private let served: Set<Pin>
  private var known: [Source: [Landing]] = [:]

  /// All that the chains of a governing entry depend on.
  private struct Source: Hashable {
    var release: Int
    var keySet: Int
    /// The policy's own set for the server.
    var policySet: Int?
    var requirement: Requirement
    var isOneCertificate: Bool
    /// Whether backups stand in for active keys that are all to come.
    var usesBackups: Bool
  }

  /// A key as a set lists it.
  private struct ListedKey {
    var key: StandingKey
    var isBackup: Bool
    /// Whether the policy says that it is served by now.
    var isServed: Bool
    /// Whether the policy says that it is served later, and accepts it.
    var isToCome: Bool
  }

  init(_ question: RotationQuestion, _ plan: RotationReleases, _ standings: KeyStandings) {
    self.plan = plan
    self.standings = standings
    let keys = question.policy.policy.keys
    upcoming = Set(keys.filter { question.now < $0.steps.active?.value ?? question.now }.compactMap(\.pin))
    served = Set(keys.filter { $0.isSaidToBeServed(at: question.now) }.compactMap(\.pin))
  }

  /// Where a connection may end up; empty where no release pins the server.
  mutating func landings(at place: ServerPlace) -> [Landing] {
    var landings: [Landing] = []
    let newest = [plan.candidateNumber] + (plan.newestNumber.map { [$0] } ?? [])
    for release in newest { add(release, place, to: &landings) }
    for release in (0..<(plan.newestNumber ?? 0)).reversed() where landings.isEmpty {
      add(release, place, to: &landings)
    }
    for release in newest.reversed() where landings.isEmpty { add(release, place, usesBackups: true, to: &landings) }
    return landings
  }

  /// Adds what a release says may be presented; where its active keys are all to come, nothing or its backups.
  private mutating func add(
    _ release: Int, _ place: ServerPlace, usesBackups: Bool = false, to landings: inout [Landing]
  ) {
    let manifest = plan.releases[release].manifest
    guard let entry = manifest.entry(at: place), let keySet = manifest.tables.hosts[entry].keySet else { return }
    let candidate = plan.releases[plan.candidateNumber].manifest
    let source = Source(
      release: release, keySet: keySet,
      policySet: candidate.entry(at: place).flatMap { candidate.tables.hosts[$0].keySet },
      requirement: manifest.tables.hosts[entry].requirement,
      isOneCertificate: manifest.tables.trust(ofHost: entry)?.certificate != nil, usesBackups: usesBackups)
    let found = known[source] ?? chains(of: source)
    known[source] = found
    for landing in found where !landings.contains(where: { $0.trust == landing.trust }) { landings.append(landing) }
  }

  private func chains(of source: Source) -> [Landing] {
    let keys = listed(in: source)
    guard source.requirement == .leafAndCA, !source.isOneCertificate else {
      return (presented(keys, source) ?? []).map { listed in
        landing([listed], source.isOneCertificate ? PresentedChain([listed.key.pin]) : listed.key.chain)
      }
    }
    // At least one of each is presented; otherwise all clients would be blocked.
    guard let leaves = presented(keys.filter { $0.key.position == .leaf }, source),
      let authorities = presented(keys.filter { $0.key.position != .leaf }, source)
    else { return [] }
    guard !leaves.isEmpty, !authorities.isEmpty else {
      return (leaves + authorities).map { landing([$0], $0.key.chain) }
    }
    return leaves.flatMap { leaf in
      authorities.map { landing([leaf, $0], PresentedChain([leaf.key.pin] + $0.key.above)) }
    }
  }

  /// The keys that may be presented, of a set or of those of it that are at the leaf or above; nil where the active
  /// ones are all to come, so that older releases have to say it.
  private func presented(_ keys: [ListedKey], _ source: Source) -> [ListedKey]? {
    let current = keys.filter { (!$0.isBackup || $0.isServed) && !$0.isToCome }
    if !current.isEmpty { return current }
    if !source.usesBackups, keys.contains(where: { !$0.isBackup }) { return nil }
    let backups = keys.filter { $0.isBackup && !$0.isToCome }
    return backups.isEmpty ? keys : backups
  }

  /// The keys of a source's set, active ones first.
  private func listed(in source: Source) -> [ListedKey] {
    let tables = plan.releases[source.release].manifest.tables
    let accepted = source.policySet.map(pins(ofPolicySet:)) ?? []
    let keys = tables.members(ofKeySet: source.keySet).map { tables.member($0) }.map { member in
      let pin = tables.pin(ofKey: member.key)
      return ListedKey(
        key: StandingKey(
          tables.name(ofKey: member.key), pin, position: tables.keys[member.key].position, among: standings.known),
        isBackup: member.isBackup, isServed: served.contains(pin),
        // A key that the policy removes counts as served even if its date says that it isn't presented yet.
        isToCome: upcoming.contains(pin) && accepted.contains(pin))
    }
    return keys.filter { !$0.isBackup } + keys.filter(\.isBackup)
  }

  private func pins(ofPolicySet number: Int) -> Set<Pin> {
    let tables = plan.releases[plan.candidateNumber].manifest.tables
    return Set(tables.members(ofKeySet: number).map { tables.pin(ofKey: tables.member($0).key) })
  }

  private func landing(_ keys: [ListedKey], _ chain: PresentedChain) -> Landing {
    let names = keys.map { ($0.isBackup ? "backup key '" : "active key '") + $0.key.name + "'" }
    return Landing(place: names.joined(separator: " and "), trust: .trusted(chain))
  }
}

extension Policy.Key {
  /// Whether its owners say that servers present it: by its status, or by a date that has come with none after it.
  fileprivate func isSaidToBeServed(at instant: Instant) -> Bool {
    if let status { return status.value == .active }
    return steps.dated.last { $0.instant.value <= instant }?.status == .active
  }
}
