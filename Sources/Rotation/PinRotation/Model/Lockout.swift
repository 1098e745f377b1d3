package import PinFormat
package import PinValidator

/// Clients that can't reach a server: a release whose manifest blocks what the server presents.
package struct Lockout: Hashable, Sendable {
  /// How much of what the server presents is blocked.
  package enum Extent: Hashable, Sendable {
    /// Every chain: the clients are locked out.
    case every
    /// Some chains: whether a client gets through depends on the address and key that it happens on.
    case some
  }

  /// What was asked of the chains (`docs/rotation.md`, "Pins and health").
  package enum Question: Hashable, Sendable {
    /// Whether the pins hold: dates, names, usage and anchors of certificates are set aside, and so is the staleness of
    /// releases that are out. Signatures are not.
    case pins
    /// Whether a client gets through. Lockouts are given so only where the pins alone don't lock as many out.
    case anything
  }

  /// Why a chain is blocked.
  package enum Obstacle: Hashable, Sendable {
    case verdict(BlockReason)
    /// Trust evaluation fails, for a reason in one clause.
    case untrusted(String)
    /// An exception that excused a failure of trust evaluation has ended.
    case exceptionEnded

    /// Why clients of a manifest go away: one clause.
    package func reason(in manifest: LoadedManifest) -> String {
      switch self {
      case .verdict(let reason): manifest.reason(for: reason)
      case .untrusted(let reason): Self.untrustedReason(reason)
      case .exceptionEnded: Self.exceptionReason
      }
    }

    static func untrustedReason(_ reason: String) -> String { "trust evaluation failed: " + reason }
    static let exceptionReason = "the exception that excused a failure of trust evaluation has ended"
  }

  /// The server's index in the scenario.
  package var server: Int
  /// The release's index in the scenario.
  package var release: Int
  /// The index of the server's phase.
  package var phase: Int
  /// The first instant at which it is so.
  package var begin: Instant
  /// The first instant at which it no longer is; nil where it lasts to the end of the scenario.
  package var end: Instant?
  package var extent: Extent
  package var question: Question
  /// The kind of client, by index in the release's views of the phase.
  package var view: Int
  /// The landing that is blocked, by index in the view.
  package var landing: Int
  package var obstacle: Obstacle
  /// Whether a clock that has run out blocks something of it: of the manifest, of the entry, of an exception.
  package var isByClock: Bool

  package init(
    server: Int, release: Int, phase: Int, begin: Instant, end: Instant?, extent: Extent, question: Question, view: Int,
    landing: Int, obstacle: Obstacle, isByClock: Bool = false
  ) {
    self.server = server
    self.release = release
    self.phase = phase
    self.begin = begin
    self.end = end
    self.extent = extent
    self.question = question
    self.view = view
    self.landing = landing
    self.obstacle = obstacle
    self.isByClock = isByClock
  }
}

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
