package import PinFormat
package import PinValidator

/// A key of the set that an entry asks for.
package struct EntryKey: Hashable, Sendable {
  package var pin: Pin
  /// Where it must stand; nil for anywhere.
  package var position: ChainPosition?
  package var isBackup: Bool
}

// What the runtime validator makes of what servers present: the model decides nothing itself.
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

  /// When mismatches of a host begin to pass while denied keys don't; empty where it denies none.
  func clocksToReportOnly(host: String, port: UInt16) -> [Instant] {
    guard !tables.deniedKeys.isEmpty else { return [] }
    var clocks = tables.header.onStale == .reportOnly ? [expires] : []
    if let number = try? tables.entry(for: host.utf8Span.span, port: port),
      let expiry = tables.expiry(of: tables.hosts[number]), tables.hosts[number].onExpiry == .reportOnly
    {
      clocks.append(expiry)
    }
    return clocks
  }

  /// What keeps a client from going on at a landing; nil where it goes on.
  func obstacle(_ landing: Landing, _ governance: Governance, at instant: Instant) -> Lockout.Obstacle? {
    switch governance {
    case .answered(.block(let reason, _)): return .verdict(reason)
    case .answered: return nil
    case .pinned(let entry):
      switch landing.trust {
      case .refused(let reason): return .untrusted(reason)
      case .trusted(let chain, let until):
        if let until, instant >= until { return .exceptionEnded }
        if case .block(let reason, _) = decide(chain, for: entry) { return .verdict(reason) }
        return nil
      }
    }
  }

  /// Whether a client goes on with a chain that trust evaluation accepts.
  func passes(_ chain: PresentedChain, _ governance: Governance) -> Bool {
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

  /// Whether the host is held to pins: a chain without any is blocked.
  func enforces(host: String, port: UInt16, at instant: Instant) -> Bool {
    switch govern(host: host, port: port, at: instant) {
    case .answered(.block): true
    case .answered: false
    case .pinned(let entry): !entry.reportsOnly
    }
  }
}

extension ClientView {
  /// The landing with the same number, or that of the same trust where the number has another.
  func landing(like landing: Landing, number: Int) -> Landing? {
    if landings.indices.contains(number), landings[number].trust == landing.trust { return landings[number] }
    return landings.first { $0.trust == landing.trust }
  }
}
