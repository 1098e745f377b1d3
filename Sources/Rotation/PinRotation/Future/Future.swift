package import PinFormat
import PinValidator

/// A chain that servers may present one day although nobody plans it, and that a release wouldn't accept.
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
    /// The authority issues under another key, or not under this one any more.
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
  /// By when the first of these servers is renewed, as its certificate ends; nil where that isn't known.
  package var renewedBy: Instant?
  /// Whether the entries of these servers only report.
  package var onlyReports: Bool

  package init(
    _ kind: Kind, at instant: Instant?, key: Pin, name: String, next: [String] = [], source: String?,
    chain: PresentedChain, servers: [Int], renewedBy: Instant? = nil, onlyReports: Bool = false
  ) {
    self.kind = kind
    self.instant = instant
    self.key = key
    self.name = name
    self.next = next
    self.source = source
    self.chain = chain
    self.servers = servers
    self.renewedBy = renewedBy
    self.onlyReports = onlyReports
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
    case .intermediate: return "the next certificate comes from an intermediate other than '\(name)'"
    case .newerRoot: return "paths end at \(names) instead of '\(name)'"
    case .anchorGone: return "'\(name)' leaves a trust store of the clients"
    case .successor:
      return next.isEmpty ? "issuance under '\(name)' ends" : "issuance moves from '\(name)' to \(names)"
    }
  }

  /// The same in few words, for a drawing.
  package var short: String {
    switch kind {
    case .renewal: "new leaf key"
    case .intermediate: "other intermediate"
    case .newerRoot: "newer root"
    case .anchorGone: "root leaves a store"
    case .successor: next.isEmpty ? "issuance ends" : "issuance moves"
    }
  }

  /// The result, with its day: `clients would be locked out of 'a.example.com:443' if …`.
  package func sentence(of hosts: String, at now: Instant) -> String {
    let effect = onlyReports ? "mismatches would be reported for \(hosts)" : "clients would be locked out of \(hosts)"
    guard let instant else { return "\(effect) if \(clause)" + (renewedBy.map { " (by \(Self.day($0)))" } ?? "") }
    return instant <= now
      ? "\(effect) if \(clause), which has been possible since \(Self.day(instant))"
      : "\(effect) from \(Self.day(instant)) on, when \(clause)"
  }

  /// When, in a table: `since 2025-04-15`, `2027-04-15`, `next renewal`.
  package func time(at now: Instant) -> String {
    guard let instant else { return "next renewal" + (renewedBy.map { ", by \(Self.day($0))" } ?? "") }
    return (instant <= now ? "since " : "") + Self.day(instant)
  }

  /// What to do, and by when clients have to have it.
  package func advice(in scenario: Scenario) -> String {
    let action =
      switch kind {
      case .renewal:
        "Keep the key at renewals and pass the record of 'pintle check --renewals PATH --record FILE' as --renewals, or pin "
          + "a CA's key as well."
      case .intermediate: "Pin the root above it as well."
      case .newerRoot where !next.isEmpty, .successor where !next.isEmpty:
        "Pin \(EventText.quoted(next)) as well as '\(name)'."
      case .newerRoot, .successor, .anchorGone:
        "Ask the operators of the hosts which root they will use next, and add it as an active key beside '\(name)'."
      }
    guard let instant, instant > scenario.now else { return action }
    let deadline = instant.adding(seconds: -scenario.window)
    return action
      + (deadline > scenario.now
        ? " Release this by \(Self.day(deadline)), so that every client has it in time."
        : " Release this at once: some clients will get it too late.")
  }

  private static func day(_ instant: Instant) -> String { String(instant.description.prefix { $0 != "T" }) }
}
