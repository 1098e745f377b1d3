package import PinFormat

extension LoadedManifest {
  /// Step 2, where trust evaluation failed: that blocks in every mode, because pins only add restrictions.
  ///
  /// - Parameters:
  ///   - failure: What trust evaluation found.
  ///   - entry: The governing entry.
  /// - Returns: `block`.
  package func decide(_ failure: TrustFailure, for entry: GoverningEntry) -> Verdict {
    .block(.untrusted(failure), DecisionContext(.trust, entry: entry.number, entry.events.union(.untrusted)))
  }

  /// Steps 3 to 5: judges a validated chain.
  ///
  /// Hashes no more certificates than it must. Allocates nothing, takes no lock and asks the system for nothing.
  ///
  /// - Parameters:
  ///   - chain: The validated chain.
  ///   - entry: The governing entry, with the events so far.
  /// - Returns: `allow` or `block`.
  package func decide(_ chain: borrowing some PinnedChain, for entry: GoverningEntry) -> Verdict {
    let record = tables.hosts[entry.number]
    let count = chain.certificateCount
    guard count > 0, let keySet = record.keySet else { return unreadable(entry) }
    let members = tables.members(ofKeySet: keySet)
    let wantsBoth = record.requirement == .leafAndCA
    var leaf: Found?
    var authority: Found?
    for number in 0..<count {
      let isSatisfied = wantsBoth ? leaf != nil && authority != nil : leaf != nil || authority != nil
      // Once the requirement is met, only a denial can change the result.
      if isSatisfied, tables.deniedKeys.isEmpty { break }
      guard let digest = chain.publicKeyDigest(ofCertificate: number) else { return unreadable(entry) }
      let pin = Pin(digest)
      let position = Self.position(of: number, in: count)
      if let key = tables.deniedKey(pin) {
        let match = PinMatch(key: key, certificate: number, position: position)
        return .block(
          .deniedKey(match), DecisionContext(.denial, entry: entry.number, entry.events.union(.deniedKey)))
      }
      guard number == 0 ? leaf == nil : authority == nil else { continue }
      guard let found = find(pin, among: members, number, of: count) else { continue }
      if number == 0 { leaf = found } else { authority = found }
    }
    return judge(leaf: leaf, authority: authority, wantsBoth: wantsBoth, entry)
  }

  private func judge(leaf: Found?, authority: Found?, wantsBoth: Bool, _ entry: GoverningEntry) -> Verdict {
    var events = entry.events
    let mismatch: Mismatch
    switch (leaf, authority) {
    case (let leaf?, let authority?) where wantsBoth:
      if leaf.isBackup || authority.isBackup { events.insert(.backupKeyMatched) }
      return .allow(
        .matchedBoth(leaf: leaf.match, authority: authority.match),
        DecisionContext(.requirement, entry: entry.number, events))
    case (let found?, _) where !wantsBoth, (nil, let found?) where !wantsBoth:
      if found.isBackup { events.insert(.backupKeyMatched) }
      return .allow(.matched(found.match), DecisionContext(.requirement, entry: entry.number, events))
    case (let leaf?, _): mismatch = .authorityMissing(leaf: leaf.match)
    case (nil, let authority?): mismatch = .leafMissing(authority: authority.match)
    case (nil, nil): mismatch = .noKey
    }
    let context = DecisionContext(.mismatch, entry: entry.number, events.union(.mismatch))
    return entry.reportsOnly ? .allow(.mismatchReported(mismatch), context) : .block(.mismatch(mismatch), context)
  }

  /// The first key of a set that has this pin and may be here.
  private func find(_ pin: Pin, among members: Range<Int>, _ number: Int, of count: Int) -> Found? {
    for index in members {
      let member = tables.member(index)
      let key = tables.keys[member.key]
      guard Self.allows(key.position, number, of: count), tables.pin(ofKey: member.key) == pin else { continue }
      let match = PinMatch(key: member.key, certificate: number, position: Self.position(of: number, in: count))
      return Found(match: match, isBackup: member.isBackup)
    }
    return nil
  }

  /// The leaf is the first, the root the last, and a chain of one certificate is both.
  package static func allows(_ position: ChainPosition?, _ number: Int, of count: Int) -> Bool {
    switch position {
    case nil: true
    case .leaf: number == 0
    case .intermediate: number > 0 && number < count - 1
    case .root: number == count - 1
    }
  }

  package static func position(of number: Int, in count: Int) -> ChainPosition {
    if number == 0 { return .leaf }
    return number == count - 1 ? .root : .intermediate
  }

  private func unreadable(_ entry: GoverningEntry) -> Verdict {
    .block(
      .unreadableChain, DecisionContext(.denial, entry: entry.number, entry.events.union(.unreadableChain)))
  }
}

/// A match, and how the entry's key set lists its key.
private struct Found {
  var match: PinMatch
  var isBackup: Bool
}
