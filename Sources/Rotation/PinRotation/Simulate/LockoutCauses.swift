import PinFormat
import PinValidator

/// Says what lockouts come from, and which of them no release and no plan has caused.
///
/// The first row that fits is the cause. "Before" is the release before the one that the clients run; a release
/// *accepts* a chain where keys of its entry match it, judged at the time of that release.
///
/// | what blocks | and | cause |
/// |---|---|---|
/// | a clock, also by making the host an unpinned one where these are denied | | `expired` |
/// | the host isn't pinned | | `unpinnedDenied` |
/// | a denied key | | `denied` |
/// | trust evaluation | an exception has ended | `exceptionEnded` |
/// | | otherwise | `untrusted` |
/// | no match, release not out yet | accepted before; the two key sets share no key | `disjoint` |
/// | | accepted before; a key is dropped, its successor is younger than the window | `removedTooEarly` |
/// | | accepted before; a key is dropped | `pinRemoved` |
/// | | accepted before; no key is dropped (another position or requirement) | `other` |
/// | | accepted by a later release, or presented after a planned change or a loss | `notYetPublished` |
/// | | before it, or without one, the host was checked against no pins | `newlyEnforced` |
/// | no match, release is out | accepted by a later release, or after a planned change or a loss | `notYetPublished` |
/// | anything else | | `other` |
package struct LockoutCauses: Sendable {
  let scenario: Scenario

  package init(_ scenario: Scenario) {
    self.scenario = scenario
  }

  /// What a lockout comes from.
  package func cause(of lockout: Lockout) -> LockoutCause {
    switch lockout.obstacle {
    case .untrusted(let reason): return .untrusted(reason)
    case .exceptionEnded: return .exceptionEnded
    case .verdict(let reason):
      switch reason {
      case .expired(let clock), .unpinnedHost(.expired(let clock)): return .expired(clock)
      case .unpinnedHost: return .unpinnedDenied
      case .untrusted(let failure): return .untrusted(failure.message)
      case .deniedKey: return .denied
      case .mismatch: return causeOfMismatch(lockout)
      case .noManifest, .invalidHost, .unreadableChain: return .other
      }
    }
  }

  private func causeOfMismatch(_ lockout: Lockout) -> LockoutCause {
    let server = lockout.server.part
    let release = lockout.release.number
    let chain = lockout.landing.trust.chain
    let isOut = lockout.release.origin == .released
    if !isOut, release > 0, accepts(release - 1, chain, server) {
      return causeOfRemoval(by: release, of: chain, server)
    }
    let later = (release + 1)..<max(release + 1, scenario.releases.count)
    if let first = later.first(where: { accepts($0, chain, server) }) { return .notYetPublished(firstAccepting: first) }
    if lockout.phase.source.isPlan { return .notYetPublished(firstAccepting: nil) }
    return !isOut && !isEnforced(before: lockout) ? .newlyEnforced : .other
  }

  /// The release blocks a chain that the one before it accepts.
  private func causeOfRemoval(by release: Int, of chain: PresentedChain, _ server: Server) -> LockoutCause {
    let before = keys(release - 1, server)
    let after = keys(release, server)
    let kept = Set(after.map(\.pin))
    guard before.contains(where: { kept.contains($0.pin) }) else { return .disjoint }
    let dropped = before.filter { chain.pins.contains($0.pin) && !kept.contains($0.pin) }
    guard !dropped.isEmpty else { return .other }
    var youngest: (pin: Pin, published: Instant)?
    for key in after where dropped.contains(where: { key.canReplace($0) }) {
      guard let published = published(key.pin, upTo: release, server),
        published.adding(seconds: scenario.window) > scenario.releases[release].issued
      else { continue }
      if let other = youngest, other.published >= published { continue }
      youngest = (key.pin, published)
    }
    guard let youngest else { return .pinRemoved }
    return .removedTooEarly(successor: youngest.pin, published: youngest.published)
  }

  /// When clients could first have a key: with the first of the releases that all have it, up to this one; nil where
  /// all releases have it, and so all clients.
  private func published(_ pin: Pin, upTo release: Int, _ server: Server) -> Instant? {
    var first = release
    while first > 0, keys(first - 1, server).contains(where: { $0.pin == pin }) { first -= 1 }
    return first == 0 ? nil : scenario.releases[first].issued
  }

  private func isEnforced(before lockout: Lockout) -> Bool {
    guard lockout.release.number > 0 else { return false }
    let before = scenario.releases[lockout.release.number - 1]
    return [before.issued, lockout.begin].allSatisfy {
      before.manifest.enforces(host: lockout.server.host.text, port: lockout.server.port, at: $0)
    }
  }

  private func accepts(_ number: Int, _ chain: PresentedChain, _ server: Server) -> Bool {
    let release = scenario.releases[number]
    return release.manifest.matches(chain, host: server.host.text, port: server.port, at: release.issued)
  }

  private func keys(_ release: Int, _ server: Server) -> [EntryKey] {
    scenario.releases[release].manifest.entryKeys(host: server.host.text, port: server.port)
  }
}

extension EntryKey {
  /// Whether a server that presents the other could present this one in its place.
  fileprivate func canReplace(_ other: EntryKey) -> Bool {
    pin != other.pin && (position == nil || other.position == nil || position == other.position)
  }
}
