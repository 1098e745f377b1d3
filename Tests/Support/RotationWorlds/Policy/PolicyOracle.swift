/// Says by the text of `docs/rotation.md`, "Servers", which servers a policy has and what they present.
///
/// Written a second time on purpose: it shares no code with the compiler. Where the two differ, one of them is wrong.
package struct PolicyOracle {
  /// A mistake that is put in, to see that it would be found.
  package enum Mistake: CaseIterable, Sendable {
    /// Of a leaf and an authority that are required together, one key is presented alone.
    case oneKeyOfAPairIsEnough
    /// Keys whose active step is to come are presented already.
    case keysToComeArePresented
    /// The same, but only of those listed as backups.
    case backupsToComeArePresented
    /// Where all leaves, or all authorities, are to come, a backup is presented at once, whatever older releases say.
    case halvesToComeAreBackups
    /// A key that the policy drops isn't presented until its date.
    case droppedKeysAreToCome
    /// What its owners say is served is only a backup.
    case backupsAreNeverServed
    /// Only the policy, or only the newest release, says what is presented.
    case newestIsNotAsked, policyIsNotAsked
    /// Older releases don't say what is presented.
    case olderAreNotAsked
    /// A change of the leaf drops what is above it, where it isn't known which of several chains is presented.
    case leafDropsTheRest
    /// A change of the authority drops the leaf also where both are required.
    case authorityDropsTheLeaf
    /// A change of the authority leaves the other authorities beside the new one.
    case authorityKeepsTheOthers
    /// A chain that has the key is replaced, too.
    case chainWithTheKeyIsReplaced
    /// A step counts in addition to other changes at the same instant.
    case stepsCountBesideChanges
    /// What becomes of several assumed chains is presented all at once.
    case plansMakeCertain
    /// An entry that includes subdomains says nothing of what servers below its host present.
    case subtreesAreLeftOut
    /// An entry with `mode: off` names a server.
    case offEntriesAreServers
    /// An entry with `mode: off` takes away the server that a release names.
    case offEntriesHideServers
    /// A release that nobody runs any more names servers.
    case forgottenReleasesNameServers
    /// Servers without an answer in the evidence are left out.
    case silentServersAreLeftOut
  }

  let world: PolicyWorld
  let mistake: Mistake?

  package init(_ world: PolicyWorld, mistake: Mistake? = nil) {
    self.world = world
    self.mistake = mistake
  }

  /// The servers by host, each with what it presents as time goes on.
  package func servers() -> [Int: [PolicyPhase]] {
    var servers: [Int: [PolicyPhase]] = [:]
    for host in 0...1 where isNamed(host) {
      let isObserved = world.evidence == .observed && host == 0
      let chains = isObserved ? [[2, PolicyWorld.observedIntermediate, 3]] : assumedChains(host)
      guard !chains.isEmpty else { continue }
      let first = PolicyPhase(begin: 0, isPlanned: false, isUncertain: !isObserved, chains: chains)
      servers[host] = [first] + plannedPhases(host, after: first)
    }
    return servers
  }

  // MARK: Which servers there are

  private func isNamed(_ host: Int) -> Bool {
    if world.changes.contains(where: { $0.host == host }) { return true }
    if world.evidence == .silent, host == 1, mistake != .silentServersAreLeftOut { return true }
    if mistake == .offEntriesHideServers, world.policy.entries[host] == .off { return false }
    let isRun = world.releases.indices.map { index in
      index == world.releases.count - 1 || !world.isFirstForgotten || mistake == .forgottenReleasesNameServers
    }
    let layers = [world.policy] + zip(world.releases, isRun).filter(\.1).map(\.0)
    return layers.contains { layer in
      switch layer.entries[host] {
      case .exact, .subtree: true
      case .off: mistake == .offEntriesAreServers
      case .none: false
      }
    }
  }

  /// Whether a layer pins a host: by its own entry, or by that of the host above.
  func pins(_ layer: PolicyWorld.Layer, _ host: Int) -> Bool {
    switch layer.entries[host] {
    case .exact, .subtree: true
    case .off: false
    case .none: host == 1 && layer.entries[0] == .subtree && mistake != .subtreesAreLeftOut
    }
  }

  // MARK: What they are assumed to present

  private func assumedChains(_ host: Int) -> Set<[Int]> {
    var chains: Set<[Int]> = []
    if mistake != .policyIsNotAsked || world.releases.isEmpty { chains.formUnion(said(by: world.policy, host)) }
    if let newest = world.releases.last, mistake != .newestIsNotAsked { chains.formUnion(said(by: newest, host)) }
    if chains.isEmpty, world.releases.count > 1, mistake != .olderAreNotAsked {
      chains = said(by: world.releases[0], host)
    }
    if chains.isEmpty, let newest = world.releases.last { chains = said(by: newest, host, isLast: true) }
    if chains.isEmpty { chains = said(by: world.policy, host, isLast: true) }
    return chains
  }

  /// What a layer says may be presented; nothing if what it says is all to come, unless there is nobody else to ask.
  private func said(by layer: PolicyWorld.Layer, _ host: Int, isLast: Bool = false) -> Set<[Int]> {
    guard pins(layer, host) else { return [] }
    let keys = [1, 2, 3].filter { layer.keys[$0 - 1] != .absent }
    if !layer.wantsBoth || mistake == .oneKeyOfAPairIsEnough {
      let chains = (presented(keys, layer, host, isLast: isLast) ?? []).flatMap { key -> [[Int]] in
        stands(key) == .leaf ? [[key, 0]] : above(key).map { [0] + $0 }
      }
      return Set(chains)
    }
    let (leaves, authorities) = (keys.filter { stands($0) == .leaf }, keys.filter { stands($0) != .leaf })
    let usesBackups = isLast || mistake == .halvesToComeAreBackups
    guard let first = presented(leaves, layer, host, isLast: usesBackups),
      let rest = presented(authorities, layer, host, isLast: usesBackups)
    else { return [] }
    var chains: Set<[Int]> = []
    for leaf in first.isEmpty ? [0] : first {
      for end in rest.isEmpty ? [[0]] : rest.flatMap(above) { chains.insert([leaf] + end) }
    }
    return chains
  }

  /// The keys of a half, or of all, that may be presented; nil where the active ones are all to come.
  private func presented(_ keys: [Int], _ layer: PolicyWorld.Layer, _ host: Int, isLast: Bool) -> [Int]? {
    func isActive(_ key: Int) -> Bool { layer.keys[key - 1] == .active }
    let current = keys.filter { key in
      let isServed = world.words[key - 1].isServed && mistake != .backupsAreNeverServed
      return (isActive(key) || isServed) && !isToCome(key, host)
    }
    if !current.isEmpty { return current }
    if keys.contains(where: isActive), !isLast { return nil }
    let backups = keys.filter { key in
      !isActive(key) && (!isToCome(key, host) || mistake == .backupsToComeArePresented)
    }
    return backups.isEmpty ? keys : backups
  }

  private func isToCome(_ key: Int, _ host: Int) -> Bool {
    guard let step = world.words[key - 1].step, step > 0, mistake != .keysToComeArePresented else { return false }
    let isAccepted = pins(world.policy, host) && world.policy.keys[key - 1] != .absent
    return isAccepted || mistake == .droppedKeysAreToCome
  }

  // MARK: Where keys stand

  func stands(_ key: Int) -> PolicyWorld.Role {
    let role = world.roles[key - 1]
    return role == .unsaid ? .leaf : role
  }

  /// What is above the leaf with this authority; a key that may stand anywhere above the leaf is two in a manifest.
  private func above(_ key: Int) -> [[Int]] {
    switch stands(key) {
    case .ca: [[key, 0], [key]]
    case .root: [[key]]
    case .leaf, .intermediate, .unsaid: [[key, 0]]
    }
  }
}
