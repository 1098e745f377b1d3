package import PinFormat
import PinValidator

extension ClientRelease {
  /// What clients of the release make of a server that presents one of several chains: nobody knows which, so the best
  /// counts.
  ///
  /// By pins alone. An entry whose expiry has come accepts everything here, or blocks whatever is presented: neither is
  /// a future's doing.
  package func outcome(of chains: [PresentedChain], at server: Server, on instant: Instant) -> FutureOutcome {
    guard
      case .pinned(let entry) = manifest.govern(
        host: server.host.text, port: server.port, at: instant, freshness: .fresh)
    else { return .accepted }
    let hasEnded = manifest.tables.expiry(of: manifest.tables.hosts[entry.number]).map { $0 <= instant } ?? false
    if entry.reportsOnly, hasEnded { return .accepted }
    return chains.lazy.map { chain in
      switch manifest.decide(chain, for: entry) {
      case .allow(.matched, _), .allow(.matchedBoth, _), .notPinned: .accepted
      case .allow(.mismatchReported, _): .reported
      case .block: .blocked
      }
    }.min() ?? .accepted
  }
}
