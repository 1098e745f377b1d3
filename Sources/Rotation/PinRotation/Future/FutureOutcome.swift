package import PinFormat
import PinValidator

/// What a release makes of a future, from best to worst.
package enum FutureOutcome: Int, Hashable, Sendable, Comparable {
  /// The pins match, or nothing is pinned.
  case accepted
  /// They don't, and the entry only reports that.
  case reported
  case blocked

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension ClientRelease {
  /// What clients of the release make of a server that presents one of several chains: nobody knows which, so the best
  /// counts.
  ///
  /// An entry whose expiry has come accepts everything here, or blocks whatever is presented: neither is a future's doing.
  /// That the release itself is stale then doesn't count.
  ///
  /// - Parameters:
  ///   - chains: Any one of these is presented.
  ///   - server: The server.
  ///   - instant: When.
  ///   - isTrusted: Whether trust evaluation accepts a chain, asked of those that the pins match.
  /// - Returns: The outcome of the chain that does best.
  package func outcome(
    of chains: [PresentedChain], at server: Server, on instant: Instant, isTrusted: (PresentedChain) -> Bool
  ) -> FutureOutcome {
    guard
      case .pinned(let entry) = manifest.govern(
        host: server.host.text, port: server.port, at: instant, freshness: .fresh)
    else { return .accepted }
    let hasEnded = manifest.tables.expiry(of: manifest.tables.hosts[entry.number]).map { $0 <= instant } ?? false
    if entry.reportsOnly, hasEnded { return .accepted }
    var best = FutureOutcome.blocked
    for chain in chains {
      switch manifest.decide(chain, for: entry) {
      case .allow(.matched, _), .allow(.matchedBoth, _), .notPinned: if isTrusted(chain) { return .accepted }
      case .allow(.mismatchReported, _): if isTrusted(chain) { best = min(best, .reported) }
      case .block: break
      }
    }
    return best
  }
}
