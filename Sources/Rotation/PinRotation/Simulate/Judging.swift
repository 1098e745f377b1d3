package import PinFormat
package import PinValidator

/// A key of the set that an entry asks for.
package struct EntryKey: Hashable, Sendable {
  package var pin: Pin
  /// Where it must be; nil for anywhere.
  package var position: ChainPosition?
  package var isBackup = false
}

// The runtime validator decides on what servers present; the model decides nothing itself.
extension LoadedManifest {
  /// When the entry that governs a host expires; nil where none governs it, or never.
  package func expiry(host: String, port: UInt16) -> Instant? {
    guard let number = try? tables.entry(for: host.utf8Span.span, port: port) else { return nil }
    return tables.expiry(of: tables.hosts[number])
  }

  /// The keys of the entry that governs a host, active ones first; empty where none does or it has `mode: off`.
  package func entryKeys(host: String, port: UInt16) -> [EntryKey] {
    guard let number = try? tables.entry(for: host.utf8Span.span, port: port), let keySet = tables.hosts[number].keySet
    else { return [] }
    return tables.members(ofKeySet: keySet).map { index in
      let member = tables.member(index)
      let pin = tables.pin(ofKey: member.key)
      return EntryKey(pin: pin, position: tables.keys[member.key].position, isBackup: member.isBackup)
    }
  }

  /// The trust settings of the entry that governs a server; nil where it has none.
  func trust(of server: Server) -> Manifest.Trust? {
    let found = try? tables.entry(for: server.host.text.utf8Span.span, port: server.port)
    return found.flatMap(\.self).flatMap { tables.trust(ofHost: $0) }
  }

  /// When mismatches of a host begin to pass while denied keys don't; empty where it denies none.
  func clocksToReportOnly(host: String, port: UInt16) -> [Instant] {
    guard !tables.deniedKeys.isEmpty else { return [] }
    var clocks = tables.header.onStale.onlyReports ? [expires] : []
    if let number = try? tables.entry(for: host.utf8Span.span, port: port),
      let expiry = tables.expiry(of: tables.hosts[number]), tables.hosts[number].onExpiry.onlyReports
    {
      clocks.append(expiry)
    }
    return clocks
  }

  /// What keeps a client from going on at a landing; nil where it goes on.
  func obstacle(
    _ landing: Landing, _ governance: Governance, at instant: Instant, _ question: Lockout.Question
  ) -> Lockout.Obstacle? {
    switch governance {
    case .answered(.block(let reason, _)): return .verdict(reason)
    case .answered: return nil
    case .pinned(let entry):
      if question == .anything {
        switch landing.trust {
        case .refused(let reason, _, _): return .untrusted(reason)
        case .trusted(_, let until?) where instant >= until.instant: return until.obstacle
        case .trusted: break
        }
      }
      if case .block(let reason, _) = decide(landing.trust.chain, for: entry) { return .verdict(reason) }
      return nil
    }
  }

  /// Whether a client goes on with a chain that trust evaluation accepts.
  package func passes(_ chain: PresentedChain, _ governance: Governance) -> Bool {
    switch governance {
    case .answered(.block): return false
    case .answered: return true
    case .pinned(let entry):
      if case .block = decide(chain, for: entry) { return false }
      return true
    }
  }

  /// Whether keys of the chain satisfy the entry that governs a host, and not only its mode lets it pass.
  func matches(_ chain: PresentedChain, host: String, port: UInt16, at instant: Instant) -> Bool {
    guard case .pinned(let entry) = govern(host: host, port: port, at: instant) else { return false }
    switch decide(chain, for: entry) {
    case .allow(.matched, _), .allow(.matchedBoth, _): return true
    case .allow(.mismatchReported, _), .block, .notPinned: return false
    }
  }

  /// Whether the host is checked against pins: a chain without any is blocked.
  func enforces(host: String, port: UInt16, at instant: Instant) -> Bool {
    switch govern(host: host, port: port, at: instant) {
    case .answered(.block): true
    case .answered: false
    case .pinned(let entry): !entry.reportsOnly
    }
  }
}

extension ClientRelease {
  /// What the release says of a host.
  ///
  /// Of pins alone, it doesn't matter whether a release that is out is stale.
  package func governance(of server: Server, at instant: Instant, _ question: Lockout.Question) -> Governance {
    let isFresh = question == .pins && origin == .released
    return manifest.govern(
      host: server.host.text, port: server.port, at: instant,
      freshness: isFresh ? .fresh : manifest.freshness(at: instant))
  }

  /// What the release would say of a host if neither its manifest nor its entries had an end.
  func lastingGovernance(of server: Server, at instant: Instant) -> Governance {
    var instant = instant
    if let expiry = manifest.expiry(host: server.host.text, port: server.port), expiry <= instant {
      instant = expiry.adding(seconds: -1)
    }
    return manifest.govern(host: server.host.text, port: server.port, at: instant, freshness: .fresh)
  }

  /// Whether another release decides about every chain of a host as this one does, their ends left aside.
  func saysTheSame(as other: ClientRelease, of server: Server) -> Bool {
    manifest.word(of: server) == other.manifest.word(of: server)
  }
}

/// All of a manifest that a decision about one host depends on, except for dates.
private struct ManifestWord: Hashable {
  var mode: Mode
  var requirement: Requirement?
  var keys: Set<EntryKey>
  var trust: Manifest.Trust?
  var denied: Set<Pin>
  var unpinnedHosts: UnpinnedHosts
}

extension LoadedManifest {
  fileprivate func word(of server: Server) -> ManifestWord {
    let host = server.host.text
    let denied = Set(tables.deniedKeys.map { tables.pin(ofKey: Int($0)) })
    let found = (try? tables.entry(for: host.utf8Span.span, port: server.port)).flatMap(\.self)
    guard let number = found, tables.hosts[number].mode != .off else {
      return ManifestWord(mode: .off, keys: [], denied: denied, unpinnedHosts: tables.header.unpinnedHosts)
    }
    let keys = entryKeys(host: host, port: server.port).map { EntryKey(pin: $0.pin, position: $0.position) }
    return ManifestWord(
      mode: tables.hosts[number].mode, requirement: tables.hosts[number].requirement, keys: Set(keys),
      trust: tables.trust(ofHost: number), denied: denied, unpinnedHosts: tables.header.unpinnedHosts)
  }
}
