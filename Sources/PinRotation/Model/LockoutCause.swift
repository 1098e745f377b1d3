package import PinFormat
package import PinValidator

/// What a lockout comes from, as the one who makes the release can act on it.
package enum LockoutCause: Hashable, Sendable {
  /// The clients' release doesn't have the key that is presented; with the first later release that accepts it, by its
  /// index in the scenario, or nil where none does.
  case notYetPublished(firstAccepting: Int?)
  /// The release drops the key that is presented, which the one before it accepts.
  case pinRemoved
  /// The release drops it before servers can have changed to the key that comes in its place, since that one was
  /// published less than an adoption window ago.
  case removedTooEarly(successor: Pin, published: Instant)
  /// The release drops every key of the one before it.
  case disjoint
  /// The release denies a key that is presented.
  case denied
  /// The release enforces pins for a host that the one before it doesn't hold to any.
  case newlyEnforced
  /// A clock has run out, and blocks from then on.
  case expired(ExpiryClock)
  /// Trust evaluation fails, for a reason in one clause.
  case untrusted(String)
  /// An exception that excused a failure of trust evaluation has ended.
  case exceptionEnded
  /// The host isn't pinned, and the manifest denies hosts that aren't.
  case unpinnedDenied
  /// None of these: as with a requirement of two keys of which one is no longer met.
  case other
}
