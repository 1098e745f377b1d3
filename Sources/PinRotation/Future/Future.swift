package import PinFormat
import PinValidator

/// A chain that servers may present one day although nobody plans it, and that a release would block.
///
/// Futures are shown beside a simulation and are never part of it: they lock nobody out in the scenario, and no plan has
/// to survive them (`docs/rotation.md`, "Futures").
package struct Future: Hashable, Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// The next certificate has another key.
    case renewal
    /// The next certificate comes from another intermediate below the same root.
    case intermediate
    /// Paths end at a newer root, which is in the stores of some clients.
    case newerRoot = "newer-root"
    /// The root leaves a store that clients have.
    case anchorGone = "anchor-gone"
    /// The authority issues from another key, or not below this one any more.
    case successor
  }

  package var kind: Kind
  /// From when on it is so, which may be over; nil for the next renewal of a certificate.
  package var instant: Instant?
  /// The key that chains lose.
  package var key: Pin
  /// What that key is called.
  package var name: String
  /// What the keys are called that come in its place; empty where they aren't known.
  package var next: [String]
  /// Where that was published, and what it says there; nil for what may always happen.
  package var source: String?
  /// A chain that is blocked then.
  package var chain: PresentedChain
  /// The servers, by their index in the scenario, rising.
  package var servers: [Int]

  package init(
    _ kind: Kind, at instant: Instant?, key: Pin, name: String, next: [String] = [], source: String?,
    chain: PresentedChain, servers: [Int]
  ) {
    self.kind = kind
    self.instant = instant
    self.key = key
    self.name = name
    self.next = next
    self.source = source
    self.chain = chain
    self.servers = servers
  }
}

/// Which futures are played.
package enum FutureChoice: String, Sendable, CaseIterable {
  case none
  /// Those that a source has announced.
  case known
  /// Also those that may happen at any time.
  case all
}

extension Future {
  /// What happens, as a clause that follows `if` or `when`: `issuance moves from 'r3' to 'r10' and 'r11'`.
  package var clause: String {
    let names = EventText.quoted(next)
    switch kind {
    case .renewal: return "the next certificate has a new key"
    case .intermediate: return "the next certificate comes from another intermediate than '\(name)'"
    case .newerRoot: return "paths end at \(names) in place of '\(name)'"
    case .anchorGone: return "'\(name)' leaves a trust store of the clients"
    case .successor:
      return next.isEmpty ? "issuance below '\(name)' ends" : "issuance moves from '\(name)' to \(names)"
    }
  }

  /// The same with its day, as a clause that follows what would happen.
  package func condition(at now: Instant) -> String {
    guard let instant else { return "if \(clause)" }
    return instant <= now
      ? "if \(clause), which is possible since \(Self.day(instant))" : "from \(Self.day(instant)) on, when \(clause)"
  }

  /// When, in a table: `since 2025-04-15`, `2027-04-15`, `next renewal`.
  package func time(at now: Instant) -> String {
    guard let instant else { return "next renewal" }
    return (instant <= now ? "since " : "") + Self.day(instant)
  }

  private static func day(_ instant: Instant) -> String { String(instant.description.prefix { $0 != "T" }) }
}

extension ClientRelease {
  /// Whether the pins of the release block a chain of a server at an instant.
  ///
  /// Clocks and modes that let the host pass then count; that the release itself is stale then doesn't.
  package func blocksByPins(_ chain: PresentedChain, of server: Server, at instant: Instant) -> Bool {
    let governance = manifest.govern(host: server.host.text, port: server.port, at: instant, freshness: .fresh)
    guard case .pinned(_) = governance else { return false }
    return !manifest.passes(chain, governance)
  }
}
