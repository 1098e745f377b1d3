extension Oracle {
  /// Whether connections fail anyway: nobody has caused it, and it isn't the known keys of a chain that pins block.
  ///
  /// Of a chain that leads to no known end it isn't known what is above, so its pins may match once it is served whole.
  func isUnhealthy(_ lockout: PlainLockout) -> Bool {
    guard lockout.isStanding || mistake == .causedFailuresAreHealth && !lockout.isByPins else { return false }
    let server = world.servers[lockout.server]
    let landings = server.phases[lockout.phase].views[lockout.view].landings
    let shown = landings.indices.filter { lockout.landing == nil || lockout.landing == $0 }.map { landings[$0] }
    if !lockout.isByPins {
      guard mistake == .onlyChainsAreUnhealthy else { return true }
      return shown.contains { if case .refused = $0 { true } else { false } }
    }
    let blocked = shown.filter { isBlocked(lockout.release, server, $0, at: lockout.begin, .pins) }
    return mistake != .unknownEndsMismatch && blocked.allSatisfy(\.hasUnknownEnd)
  }
}

extension PlainLanding {
  var hasUnknownEnd: Bool { if case .refused(let keys) = self { keys.last == 0 } else { false } }
}
