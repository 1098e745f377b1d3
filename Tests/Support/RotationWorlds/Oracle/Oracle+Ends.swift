/// Clients of a release that are reported as no longer locked out of a server.
package struct PlainEnd: Hashable, Sendable, CustomStringConvertible {
  package var server: Int
  package var release: Int
  package var tick: Int

  package var description: String { "clients of release \(release) get through to server \(server) again at \(tick)" }
}

extension Oracle {
  /// When clients are no longer locked out: who was at the tick before, and is not any more.
  ///
  /// - Returns: The ends of which nobody of the release is locked out wholly any more, of whatever kind, and those of them
  ///   of which nobody is even in part.
  func ends() -> (possible: Set<PlainEnd>, certain: Set<PlainEnd>) {
    var ends: (possible: Set<PlainEnd>, certain: Set<PlainEnd>) = ([], [])
    var before: Set<Clients> = []
    for tick in world.now..<world.end {
      let now = lockouts(at: tick)
      let wholly = clients(now.filter(\.isEvery))
      let partly = clients(now)
      for clients in before.subtracting(wholly) {
        let end = PlainEnd(server: clients.server, release: clients.release, tick: tick)
        ends.possible.insert(end)
        if !partly.contains(clients) { ends.certain.insert(end) }
      }
      before = wholly
    }
    return ends
  }

  private struct Clients: Hashable {
    var server: Int
    var release: Int
  }

  private func clients(_ lockouts: Set<PlainLockout>) -> Set<Clients> {
    let counted = mistake == .pinsAloneEndLockouts ? lockouts.filter(\.isByPins) : lockouts
    return Set(counted.map { Clients(server: $0.server, release: $0.release) })
  }
}
