import PinFormat

/// Looks for what keeps a valid manifest from taking effect: it pins nothing, or much less, or refuses what was allowed.
struct ActivationCheck {
  let limits: ActivationGuard
  /// What is in force; nil where nothing is.
  let before: Validator?
  let after: Validator
  /// Chains that were allowed lately.
  let chains: [RecentChains.Chain]
  let instant: Instant

  /// What is wrong with the manifest; nil where it may take effect.
  func objection() -> UpdateError? {
    // The signers declared the change as intended.
    guard after.manifest.drasticChange == nil else { return nil }
    guard after.manifest.pinsAnything(at: instant) else {
      return UpdateError(.empty, "the manifest pins no host at all" + Self.help)
    }
    guard let before else { return nil }
    return shrunk(before.manifest) ?? refusal(before)
  }

  private func shrunk(_ before: LoadedManifest) -> UpdateError? {
    let (lost, pinned) = before.pinnedEntries(missingIn: after.manifest, at: instant)
    guard lost * 100 > pinned * max(0, limits.maximumLossPercent) else { return nil }
    return UpdateError(
      .shrunk,
      "of the \(pinned) host entries that pin, \(lost) would no longer pin; at most \(limits.maximumLossPercent) % may at "
        + "once" + Self.help)
  }

  /// A chain counts where it is let through at this very time by what is in force, and blocked by the new manifest: what
  /// has expired by itself since it was seen says nothing about the manifest.
  private func refusal(_ before: Validator) -> UpdateError? {
    guard limits.replaysRecentChains else { return nil }
    for chain in chains {
      let handshake = chain.handshake
      let decision = after.evaluate(handshake, at: instant, transport: chain.transport)
      guard decision.disposition == .cancel else { continue }
      if case .block(let reason, _) = decision.verdict, reason.isDenial { continue }
      guard before.evaluate(handshake, at: instant, transport: chain.transport).disposition != .cancel else { continue }
      return UpdateError(
        .refusesRecentChain,
        "it would block what was allowed lately, \(handshake.host):\(handshake.port): "
          + after.manifest.describe(decision.verdict) + Self.whyUntrusted(decision) + Self.help)
    }
    return nil
  }

  /// Why a host that isn't pinned any more is refused: nobody's exception or anchor holds for it.
  private static func whyUntrusted(_ decision: Decision) -> String {
    guard case .notPinned = decision.verdict, let failure = decision.failures.first else { return "" }
    return "; trust evaluation failed: " + failure.message
  }

  private static let help = "; the earlier manifest stays in force"
}

extension BlockReason {
  /// Whether a denied key blocked.
  ///
  /// A denial is a statement about a key, and the key that has just been stolen is the one that was seen lately. Were it
  /// held up here, the thief would only have to use the key to keep it.
  fileprivate var isDenial: Bool {
    if case .deniedKey = self { true } else { false }
  }
}

extension LoadedManifest {
  /// Whether any entry pins at this time, be it to report only.
  func pinsAnything(at instant: Instant) -> Bool { tables.hosts.indices.contains { isPinning($0, at: instant) } }

  private func isPinning(_ number: Int, at instant: Instant) -> Bool {
    let entry = tables.hosts[number]
    guard entry.mode != .off else { return false }
    guard entry.onExpiry == .unpinned, let expires = tables.expiry(of: entry) else { return true }
    return instant < expires
  }

  /// How many entries pin, and how many of them have hosts that another manifest doesn't pin.
  ///
  /// What counts is who governs the host, the port, and with subdomains the names below it: an entry that another one
  /// covers isn't lost. Reporting only counts as pinning.
  func pinnedEntries(missingIn other: LoadedManifest, at instant: Instant) -> (lost: Int, pinned: Int) {
    var lost = 0
    var pinned = 0
    for number in tables.hosts.indices {
      let entry = tables.hosts[number]
      guard isPinning(number, at: instant) else { continue }
      pinned += 1
      let host = tables.host(ofEntry: number)
      // No entry has a name with an underscore, so this finds the entry that covers all names below.
      let covers =
        other.pins(host, entry.port, at: instant)
        && (!entry.includesSubdomains || other.pins("_." + host, entry.port, at: instant))
      if !covers { lost += 1 }
    }
    return (lost, pinned)
  }

  private func pins(_ host: String, _ port: UInt16?, at instant: Instant) -> Bool {
    // No entry has port 0, so this finds the entry for all ports.
    guard let found = try? tables.entry(for: host.utf8Span.span, port: port ?? 0) else {
      // A name that is too long to have a subdomain covers none.
      return host.utf8.count > 253
    }
    return isPinning(found, at: instant)
  }
}
