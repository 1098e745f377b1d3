import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinRelease
import PinRotation
import PinRules
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
  private let certificates: KnownCertificates
  private let now: Instant
  /// The keys that are still to become active.
  private let upcoming: Set<Pin>
  /// The keys that the policy says are served by now.
  private let served: Set<Pin>
  private var known: [Source: [UnseenChain]] = [:]

  /// All that the chains of a governing entry depend on.
  private struct Source: Hashable {
    var release: Int
    var keySet: Int
    /// The policy's own set for the server.
    var policySet: Int?
    var requirement: Requirement
    var isOneCertificate: Bool
    /// The certificates of servers that the entry's `trust` names.
    var leaves: [SHA256Digest]
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

  init(
    _ question: RotationQuestion, _ plan: RotationReleases, _ standings: KeyStandings, _ certificates: KnownCertificates
  ) {
    self.plan = plan
    self.standings = standings
    self.certificates = certificates
    now = question.now
    let keys = question.policy.policy.keys
    upcoming = Set(keys.filter { question.now < $0.steps.active?.value ?? question.now }.compactMap(\.pin))
    served = Set(keys.filter { $0.isSaidToBeServed(at: question.now) }.compactMap(\.pin))
  }

  /// What a server may present; empty where no release pins it.
  mutating func chains(at place: HostPort) -> [UnseenChain] {
    var chains: [UnseenChain] = []
    let newest = [plan.candidateNumber] + (plan.newestNumber.map { [$0] } ?? [])
    for release in newest { add(release, place, to: &chains) }
    for release in (0..<(plan.newestNumber ?? 0)).reversed() where chains.isEmpty { add(release, place, to: &chains) }
    for release in newest.reversed() where chains.isEmpty { add(release, place, usesBackups: true, to: &chains) }
    return chains
  }

  /// Adds what a release says may be presented; where its active keys are all to come, nothing or its backups.
  private mutating func add(
    _ release: Int, _ place: HostPort, usesBackups: Bool = false, to chains: inout [UnseenChain]
  ) {
    let manifest = plan.releases[release].manifest
    guard let entry = manifest.entry(at: place), let keySet = manifest.tables.hosts[entry].keySet else { return }
    let candidate = plan.releases[plan.candidateNumber].manifest
    let trust = manifest.tables.trust(ofHost: entry)
    let source = Source(
      release: release, keySet: keySet,
      policySet: candidate.entry(at: place).flatMap { candidate.tables.hosts[$0].keySet },
      requirement: manifest.tables.hosts[entry].requirement,
      isOneCertificate: trust?.certificate != nil, leaves: trust.map(leaves) ?? [], usesBackups: usesBackups)
    let found = known[source] ?? self.chains(of: source).flatMap { named($0, source.leaves) }
    known[source] = found
    for new in found {
      // Who names the certificate says more than who names its key only.
      let same = chains.firstIndex {
        $0.chain == new.chain && ($0.setup.leaf == nil || [nil, $0.setup.leaf].contains(new.setup.leaf))
      }
      guard let same else {
        chains.append(new)
        continue
      }
      chains[same].setup.leaf = chains[same].setup.leaf ?? new.setup.leaf
    }
  }

  /// The certificates that servers present by what a release says: the one that it accepts, or those that it excuses.
  private func leaves(_ trust: Manifest.Trust) -> [SHA256Digest] {
    if let certificate = trust.certificate { return [certificate] }
    return Set(trust.exceptions.filter { now < $0.until }.map(\.certificate)).sorted().filter {
      certificates.certificate($0).map { !$0.isCA } ?? false
    }
  }

  /// The chain with each certificate that a release names for its leaf.
  private func named(_ chain: UnseenChain, _ leaves: [SHA256Digest]) -> [UnseenChain] {
    let named = leaves.compactMap { leaf -> UnseenChain? in
      guard let pin = certificates.certificate(leaf).flatMap({ certificates.pin(of: $0) }),
        [nil, pin].contains(chain.chain.pins[0])
      else { return nil }
      var named = chain
      named.chain.pins[0] = pin
      named.setup.leaf = leaf
      return named
    }
    return named.isEmpty ? [chain] : named
  }

  private func chains(of source: Source) -> [UnseenChain] {
    let keys = listed(in: source)
    guard source.requirement == .leafAndCA, !source.isOneCertificate else {
      return (presented(keys, source) ?? []).map { listed in
        unseen([listed], source.isOneCertificate ? PresentedChain([listed.key.pin]) : listed.key.chain)
      }
    }
    // At least one of each is presented; otherwise all clients would be blocked.
    guard let leaves = presented(keys.filter { $0.key.position == .leaf }, source),
      let authorities = presented(keys.filter { $0.key.position != .leaf }, source)
    else { return [] }
    guard !leaves.isEmpty, !authorities.isEmpty else {
      return (leaves + authorities).map { unseen([$0], $0.key.chain) }
    }
    return leaves.flatMap { leaf in
      let ways = leaf.key.pin.map { certificates.undenied(certificates.issuers(ofLeaf: $0)) } ?? []
      // If it isn't known who issued the leaf's certificate, each of the authorities may be above it.
      guard !ways.isEmpty, ways.allSatisfy({ $0.last != .some(nil) }) else {
        return authorities.map { unseen([leaf, $0], PresentedChain([leaf.key.pin] + $0.key.above)) }
      }
      return ways.map { way in
        let chain = PresentedChain([leaf.key.pin] + way)
        return unseen([leaf] + authorities.filter { $0.key.stands(in: chain) }, chain)
      }
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

  private func unseen(_ keys: [ListedKey], _ chain: PresentedChain) -> UnseenChain {
    let names = keys.map { ($0.isBackup ? "backup key '" : "active key '") + $0.key.name + "'" }
    return UnseenChain(place: names.joined(separator: " and "), chain)
  }
}

extension Policy.Key {
  /// Whether its owners say that servers present it: by its status, or by a date that has come with none after it.
  fileprivate func isSaidToBeServed(at instant: Instant) -> Bool {
    if let status { return status.value == .active }
    return steps.dated.last { $0.instant.value <= instant }?.status == .active
  }
}
