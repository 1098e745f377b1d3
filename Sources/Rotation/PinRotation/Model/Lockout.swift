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
      case .untrusted, .exceptionEnded: cause.clause
      }
    }

    /// The words that all commands have for it.
    package var cause: Cause {
      switch self {
      case .verdict(let reason): Cause(reason)
      case .untrusted(let reason): .untrusted(reason)
      case .exceptionEnded: .exceptionEnded
      }
    }
  }

  package var server: Numbered<Server>
  /// What its clients run.
  package var release: Numbered<ClientRelease>
  /// What the server presents then.
  package var phase: Numbered<ServerPhase>
  /// The first instant at which it is so.
  package var begin: Instant
  /// The first instant at which it no longer is; nil where it lasts to the end of the scenario.
  package var end: Instant?
  package var extent: Extent
  package var question: Question
  /// The kind of client: one of the release's views of the phase.
  package var view: Numbered<ClientView>
  /// The landing of the view that is blocked.
  package var landing: Numbered<Landing>
  package var obstacle: Obstacle
  /// Whether a clock that has run out blocks something of it: of the manifest, of the entry, of an exception.
  package var isByClock: Bool

  package init(
    server: Numbered<Server>, release: Numbered<ClientRelease>, phase: Numbered<ServerPhase>, begin: Instant,
    end: Instant?, extent: Extent, question: Question, view: Numbered<ClientView>, landing: Numbered<Landing>,
    obstacle: Obstacle, isByClock: Bool
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

  /// Why its clients go away: one clause.
  package var reason: String { obstacle.reason(in: release.manifest) }

  /// Whether something ended, of which it was known when it would: a clock ran out, or a certificate expired that the
  /// release carries.
  package var isByEnd: Bool {
    guard !isByClock, case .untrusted = obstacle, question == .anything else { return isByClock }
    guard case .trusted(_, let until?) = landing.trust else { return false }
    return until.instant <= begin
  }
}

/// A part of a scenario with its place in its list, by which parts of one list are compared.
@dynamicMemberLookup
package struct Numbered<Part: Sendable>: Hashable, Comparable, Sendable {
  package let number: Int
  package let part: Part

  package init(_ number: Int, of parts: [Part]) {
    self.number = number
    part = parts[number]
  }

  package subscript<Value>(dynamicMember path: KeyPath<Part, Value>) -> Value { part[keyPath: path] }

  package static func == (left: Self, right: Self) -> Bool { left.number == right.number }

  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  package func hash(into hasher: inout Hasher) { hasher.combine(number) }
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
