public import PinFormat

/// How old a manifest is, at an instant.
public enum Freshness: Hashable, Sendable {
  /// Nothing to do.
  case fresh
  /// A newer manifest should be looked for; this one is in force as before.
  case refreshDue
  /// The manifest has expired; what that means for pinned hosts was decided in the policy.
  case stale(ExpiryAction)
}

extension LoadedManifest {
  /// How old the manifest is.
  ///
  /// Intervals exclude their end.
  ///
  /// - Parameter instant: The time to judge at.
  /// - Returns: Whether it is fresh, due to be refreshed, or stale, and what that means.
  public func freshness(at instant: Instant) -> Freshness {
    if instant >= expires { return .stale(tables.header.onStale) }
    return instant >= refreshAfter ? .refreshDue : .fresh
  }
}
