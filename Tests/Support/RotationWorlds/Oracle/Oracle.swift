import PinFormat

/// Answers for a plain world by the text of the model, one tick after the other.
///
/// Written a second time on purpose, and as naively as can be: no manifest, no validator, no cutting of time into
/// pieces. Where it and the engine differ, one of them is wrong.
package struct Oracle: Sendable {
  /// A mistake that is put in, to see that it would be found.
  package enum Mistake: CaseIterable, Sendable {
    /// A client may run the older release one tick too long.
    case windowIncludesItsLimit
    /// A release is there one tick too late.
    case releaseExcludesItsInstant
    /// A change of what is presented comes one tick too late.
    case changeExcludesItsInstant
    /// Clients that refuse stale manifests run them nevertheless.
    case staleIsRun
    /// An entry is in force one tick too long.
    case expiryExcludesItsInstant
    /// The entry of a host applies to a name below it, even if the entry doesn't include it.
    case everyEntryIncludesSubdomains
    /// A denied key passes where only mismatches are reported.
    case denialIsReportedOnly
    /// One landing that is blocked locks out.
    case anyLandingLocksOut
    /// A planned change makes a lockout that was there anyway.
    case plansNeverStand
    /// One release after a loss suits all.
    case lossNeedsOneRelease
    /// A chain that nobody trusts is blocked by pins too.
    case healthExcuses
    /// Whether pins hold isn't asked of a release that is stale.
    case staleExcuses
    /// A chain whose end isn't known is treated as complete.
    case unknownEndsStand
    /// A clock that blocks is nobody's fault where the one before has run out.
    case clocksStand
    /// Whether an entry has an active key is asked of each half of the chain, whatever it requires.
    case halvesAreListedApart
    /// Of a pair that is assumed, one key that the newest release lists is enough.
    case oneOfAPairIsEnough
    /// What a planned change makes of several assumed chains is presented all at once.
    case plansMakeCertain
    /// A key of which nothing is known can stand anywhere after a loss.
    case keysStandAnywhere
    /// An intermediate can be presented after the loss of the only root that certified it.
    case issuersAreForgotten
    /// A key's position is forgotten with the last client of the release that states it.
    case positionsAreForgotten
    /// A release makes what its clients were denied before, where the host isn't pinned.
    case unpinnedNeverStands
    /// If pins block a chain whose end isn't known, they count as the cause.
    case unknownEndsMismatch
    /// A client that can't connect for another reason than pins counts as unhealthy, even if the release causes that.
    case causedFailuresAreHealth
    /// Only a chain that fails trust evaluation isn't healthy, not a release that has run out.
    case onlyChainsAreUnhealthy
    /// Clients are reported as no longer locked out if pins match again, even if something else blocks them.
    case pinsAloneEndLockouts
  }

  package var world: PlainWorld
  package var mistake: Mistake?

  package init(_ world: PlainWorld, mistake: Mistake? = nil) {
    self.world = world
    self.mistake = mistake
  }

  /// The releases that some client runs at a tick.
  package func running(at tick: Int) -> [Int] { world.releases.indices.filter { isRunning($0, at: tick) } }

  private func isRunning(_ number: Int, at tick: Int) -> Bool {
    let release = world.releases[number]
    if mistake == .releaseExcludesItsInstant ? tick <= release.issued : tick < release.issued { return false }
    guard number + 1 < world.releases.count else { return true }
    let next = world.releases[number + 1].issued
    let isInWindow = mistake == .windowIncludesItsLimit ? tick <= next + world.window : tick < next + world.window
    if !isInWindow { return false }
    let isBlocking = release.onStale == .block || release.onStale == .unpinned && release.deniesUnpinned
    if isBlocking, let expires = release.expires, mistake != .staleIsRun {
      // It goes stale only if a newer release exists.
      return tick < next || tick < expires
    }
    return true
  }

  /// The phase that a server is in.
  package func phase(of server: PlainServer, at tick: Int) -> Int? {
    server.phases.lastIndex { mistake == .changeExcludesItsInstant ? $0.begin < tick : $0.begin <= tick }
  }

  // MARK: What a release says of a chain

  /// What is asked about a landing.
  enum Question {
    /// Whether pins let the chain pass, whatever is wrong with its certificates, and as if what is out never went stale.
    case pins
    /// Whether a client gets through.
    case anything
  }

  /// Whether clients of a release can't go on at a landing.
  func isBlocked(
    _ number: Int, _ server: PlainServer, _ landing: PlainLanding, at tick: Int, _ question: Question,
    isLasting: Bool = false
  ) -> Bool {
    let release = world.releases[number]
    guard let entry = entry(of: release, server), entry.mode != .off else { return release.deniesUnpinned }
    var actions: [ExpiryAction] = []
    if let expires = entry.expires, let action = entry.onExpiry, isPast(expires, tick), !isLasting {
      actions.append(action)
    }
    let isFresh = isLasting || question == .pins && release.origin == .released && mistake != .staleExcuses
    if let expires = release.expires, tick >= expires, !isFresh { actions.append(release.onStale) }
    if actions.contains(.block) { return true }
    if actions.contains(.unpinned) { return release.deniesUnpinned }
    let isReportOnly = entry.mode == .reportOnly || actions.contains(.reportOnly)
    let chain = landing.keys
    if question == .anything || mistake == .healthExcuses {
      guard case .chain(_, let until) = landing else { return true }
      if let until, tick >= until { return true }
    }
    if !(isReportOnly && mistake == .denialIsReportedOnly), chain.contains(where: release.denied.contains) {
      return true
    }
    return !isReportOnly && !satisfies(chain, entry)
  }

  func isPast(_ limit: Int, _ tick: Int) -> Bool {
    mistake == .expiryExcludesItsInstant ? tick > limit : tick >= limit
  }

  /// The most specific entry: the host with this port, the host, then the nearest ancestor, with this port first.
  func entry(of release: PlainRelease, _ server: PlainServer) -> PlainEntry? {
    var name = server.host
    var isAncestor = false
    while true {
      let those = release.entries.filter {
        $0.host == name && (!isAncestor || $0.subdomains || mistake == .everyEntryIncludesSubdomains)
      }
      if let found = those.first(where: { $0.port == server.port }) ?? those.first(where: { $0.port == nil }) {
        return found
      }
      guard let dot = name.firstIndex(of: ".") else { return nil }
      name = String(name[name.index(after: dot)...])
      isAncestor = true
    }
  }

  private func satisfies(_ chain: [Int], _ entry: PlainEntry) -> Bool {
    func stands(_ key: PlainKey, at index: Int) -> Bool {
      guard chain[index] == key.number else { return false }
      switch key.position {
      case nil: return true
      case .leaf: return index == 0
      case .root: return index == chain.count - 1
      case .intermediate: return index != 0 && index != chain.count - 1
      }
    }
    let isAtLeaf = entry.keys.contains { stands($0, at: 0) }
    let isAbove = chain.indices.dropFirst().contains { index in entry.keys.contains { stands($0, at: index) } }
    return entry.requirement == .any ? isAtLeaf || isAbove : isAtLeaf && isAbove
  }

  /// The keys that a release lists for a server.
  func keys(_ number: Int, _ server: PlainServer) -> [PlainKey] {
    guard let entry = entry(of: world.releases[number], server), entry.mode != .off else { return [] }
    return entry.keys
  }
}
