package import PinFormat

/// What step 1 of the order of decision answers.
package enum Governance: Sendable {
  /// The verdict is known without a chain.
  case answered(Verdict)
  /// An entry pins the host: trust evaluation comes next.
  case pinned(GoverningEntry)
}

/// The entry that governs a host, as it is at the time of the decision.
package struct GoverningEntry: Hashable, Sendable {
  /// The entry's number in the manifest.
  package let number: Int
  /// Whether a mismatch only is reported, by the entry's mode or since an expiry.
  package let reportsOnly: Bool
  /// The events so far.
  package var events: DecisionEvents
}

extension LoadedManifest {
  /// Step 1: which entry governs a host and port, and whether it pins at this time.
  ///
  /// Allocates nothing, takes no lock and asks the system for nothing.
  ///
  /// - Parameters:
  ///   - host: The host that the connection is for, as ASCII in any letter case; brackets and one trailing dot allowed.
  ///   - port: The port that the connection is for.
  ///   - instant: The time to decide at.
  /// - Returns: A verdict, or the entry to go on with.
  package func govern(host: String, port: UInt16, at instant: Instant) -> Governance {
    govern(host: host, port: port, at: instant, freshness: freshness(at: instant))
  }

  /// The same where the manifest counts as fresh or stale, whatever its own clock says: for tools that ask about pins
  /// alone.
  package func govern(host: String, port: UInt16, at instant: Instant, freshness: Freshness) -> Governance {
    var events = DecisionEvents()
    var onStale: ExpiryAction?
    switch freshness {
    case .fresh: break
    case .refreshDue: events.insert(.refreshDue)
    case .stale(let action):
      events.insert([.refreshDue, .manifestStale])
      onStale = action
    }
    let found: Int?
    do {
      found = try tables.entry(for: host.utf8Span.span, port: port)
    } catch {
      // Without a valid name nothing can be looked up, so an entry may govern it: block.
      return .answered(.block(.invalidHost(error), DecisionContext(.entry, entry: nil, events.union(.invalidHost))))
    }
    guard let number = found else {
      return .answered(unpinned(.noEntry, entry: nil, events.union(.noEntry)))
    }
    return govern(number, onStale: onStale, events, at: instant)
  }

  private func govern(
    _ number: Int, onStale: ExpiryAction?, _ events: DecisionEvents, at instant: Instant
  ) -> Governance {
    let entry = tables.hosts[number]
    var events = events
    guard entry.mode != .off else { return .answered(unpinned(.off, entry: number, events.union(.excluded))) }
    var action = ExpiryAction.enforce
    var clock = ExpiryClock.entry
    if let expires = tables.expiry(of: entry), instant >= expires {
      events.insert(.entryExpired)
      action = entry.onExpiry
    }
    // If both clocks have expired, the stricter action applies; `block` always stays.
    if let onStale, onStale.weight > action.weight {
      action = onStale
      clock = .manifest
    }
    switch action {
    case .block:
      return .answered(.block(.expired(clock), DecisionContext(.entry, entry: number, events)))
    case .unpinned:
      return .answered(unpinned(.expired(clock), entry: number, events))
    case .enforce, .reportOnly:
      let reportsOnly = action == .reportOnly || entry.mode == .reportOnly
      if reportsOnly { events.insert(.reportOnly) }
      return .pinned(GoverningEntry(number: number, reportsOnly: reportsOnly, events: events))
    }
  }

  private func unpinned(_ reason: NotPinnedReason, entry: Int?, _ events: DecisionEvents) -> Verdict {
    let context = DecisionContext(.entry, entry: entry, events)
    switch tables.header.unpinnedHosts {
    case .allow: return .notPinned(reason, context)
    case .deny: return .block(.unpinnedHost(reason), context)
    }
  }
}

/// What an expiry comes to: a model of clients asks here too.
extension ExpiryAction {
  /// Whether pinned hosts count as unpinned from then on.
  package var unpins: Bool { self == .unpinned }
  /// Whether mismatches pass from then on; denied keys still don't.
  package var onlyReports: Bool { self == .reportOnly }

  /// Whether no chain of a pinned host is accepted from then on, by what the manifest says of hosts without pins.
  package func blocks(where unpinnedHosts: UnpinnedHosts) -> Bool { self == .block || unpins && unpinnedHosts == .deny }

  /// How far an action departs from going on as before.
  fileprivate var weight: Int {
    switch self {
    case .enforce: 0
    case .reportOnly: 1
    case .unpinned: 2
    case .block: 3
    }
  }
}
