import PinFormat

/// A lockout as both sides are compared by.
package struct PlainLockout: Hashable, Sendable, Comparable, CustomStringConvertible {
  package var server: Int
  package var release: Int
  package var phase: Int
  package var view: Int
  /// The chain, where it is only assumed what is presented.
  package var landing: Int?
  /// Whether every chain is blocked.
  package var isEvery: Bool
  /// Whether pins alone do it.
  package var isByPins: Bool
  /// Whether a clock that has run out blocks some of it.
  package var isByClock: Bool
  package var begin: Int
  /// Nil for the end of the world.
  package var end: Int?
  package var isStanding: Bool
  /// Whether connections fail anyway, for another reason than pins.
  package var isUnhealthy: Bool

  package init(
    server: Int, release: Int, phase: Int, view: Int, landing: Int?, isEvery: Bool, isByPins: Bool = true,
    isByClock: Bool = false, begin: Int, end: Int?, isStanding: Bool, isUnhealthy: Bool = false
  ) {
    self.server = server
    self.release = release
    self.phase = phase
    self.view = view
    self.landing = landing
    self.isEvery = isEvery
    self.isByPins = isByPins
    self.isByClock = isByClock
    self.begin = begin
    self.end = end
    self.isStanding = isStanding
    self.isUnhealthy = isUnhealthy
  }

  package var description: String {
    "server \(server), release \(release), phase \(phase), view \(view), landing \(landing.map { "\($0)" } ?? "any"), "
      + "\(isEvery ? "every" : "some")\(isByPins ? "" : ", by more than pins")\(isByClock ? ", by a clock" : ""), from \(begin) to \(end.map { "\($0)" } ?? "the end")"
      + (isStanding ? ", standing" : "") + (isUnhealthy ? ", unhealthy" : "")
  }

  package static func < (left: PlainLockout, right: PlainLockout) -> Bool {
    left.order.lexicographicallyPrecedes(right.order)
  }

  private var order: [Int] {
    [server, release, phase, begin, view, landing ?? -1, isByPins ? 0 : 1, isByClock ? 1 : 0]
  }
}

extension Oracle {
  /// Every lockout, found by looking at each tick.
  package func lockouts() -> [PlainLockout] {
    var found: [PlainLockout] = []
    // The lockouts at the tick before, and when they began.
    var open: [PlainLockout: Int] = [:]
    for tick in world.now..<world.end {
      let now = lockouts(at: tick)
      for (lockout, begin) in open where !now.contains(lockout) {
        found.append(closed(lockout, begin, tick))
      }
      open = Dictionary(uniqueKeysWithValues: now.map { ($0, open[$0] ?? tick) })
    }
    for (lockout, begin) in open { found.append(closed(lockout, begin, nil)) }
    return found.sorted()
  }

  private func closed(_ lockout: PlainLockout, _ begin: Int, _ end: Int?) -> PlainLockout {
    var lockout = lockout
    lockout.begin = begin
    lockout.end = end
    lockout.isStanding = isStanding(lockout)
    lockout.isUnhealthy = isUnhealthy(lockout)
    return lockout
  }

  /// Who is locked out at one tick, without when it began.
  func lockouts(at tick: Int) -> Set<PlainLockout> {
    var found: Set<PlainLockout> = []
    for (serverNumber, server) in world.servers.enumerated() {
      guard let phase = phase(of: server, at: tick) else { continue }
      for release in running(at: tick) {
        for (viewNumber, view) in server.phases[phase].views.enumerated() {
          func blocked(_ question: Question) -> [Int] {
            view.landings.indices.filter { isBlocked(release, server, view.landings[$0], at: tick, question) }
          }
          let byPins = blocked(.pins)
          let byAnything = blocked(.anything)
          func add(_ landing: Int?, of blocked: [Int], isEvery: Bool, isByPins: Bool) {
            let isByClock = blocked.contains {
              isBlockedByClock(release, server, view.landings[$0], at: tick, byPins: isByPins)
            }
            found.insert(
              PlainLockout(
                server: serverNumber, release: release, phase: phase, view: viewNumber, landing: landing,
                isEvery: isEvery, isByPins: isByPins, isByClock: isByClock, begin: 0, end: nil, isStanding: false))
          }
          if isUncertain(server.phases[phase]) {
            for landing in view.landings.indices {
              if byPins.contains(landing) {
                add(landing, of: [landing], isEvery: true, isByPins: true)
              } else if byAnything.contains(landing) {
                add(landing, of: [landing], isEvery: true, isByPins: false)
              }
            }
            continue
          }
          let all = view.landings.count
          let isEvery = byPins.count == all || byAnything.count == all || mistake == .anyLandingLocksOut
          let isByPins = isEvery && byAnything.count == all ? byPins.count == all : !byPins.isEmpty
          if all > 0, !byPins.isEmpty || !byAnything.isEmpty {
            add(nil, of: isByPins ? byPins : byAnything, isEvery: isEvery, isByPins: isByPins)
          }
        }
      }
    }
    return found
  }

  /// Whether it is a clock that blocks a landing: the manifest's, the entry's, an exception's.
  private func isBlockedByClock(
    _ number: Int, _ server: PlainServer, _ landing: PlainLanding, at tick: Int, byPins: Bool
  ) -> Bool {
    let release = world.releases[number]
    guard let entry = entry(of: release, server), entry.mode != .off else { return false }
    var actions: [ExpiryAction] = []
    if let expires = entry.expires, let action = entry.onExpiry, isPast(expires, tick) { actions.append(action) }
    if let expires = release.expires, tick >= expires, !byPins || release.origin != .released {
      actions.append(release.onStale)
    }
    if actions.contains(.block) { return true }
    if actions.contains(.unpinned) { return release.deniesUnpinned }
    guard !byPins, case .chain(_, let until?) = landing else { return false }
    return tick >= until
  }

  func isUncertain(_ phase: PlainPhase) -> Bool {
    phase.isUncertain && (phase.source == .assumed || mistake != .plansMakeCertain)
  }
}
