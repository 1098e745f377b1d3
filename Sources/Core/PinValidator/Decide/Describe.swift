import PinFormat

/// Turning a verdict's numbers into names. Numbers of another manifest give nil, or another entry's name.
extension LoadedManifest {
  /// An entry as messages name it, such as `api.example.com:8443`.
  public func entryLabel(_ entry: Int) -> String? {
    tables.hosts.indices.contains(entry) ? tables.label(ofEntry: entry) : nil
  }

  /// The name of an entry's key set; nil where it has none.
  public func keySetName(ofEntry entry: Int) -> String? {
    guard tables.hosts.indices.contains(entry) else { return nil }
    return tables.hosts[entry].keySet.map { tables.name(ofKeySet: $0) }
  }

  /// Where an entry's mismatches are reported, in order of preference.
  public func reportURIs(ofEntry entry: Int) -> [String] {
    tables.hosts.indices.contains(entry) ? tables.reportURIs(ofEntry: entry) : []
  }

  /// A key's name.
  public func keyName(_ key: Int) -> String? {
    tables.keys.indices.contains(key) ? tables.name(ofKey: key) : nil
  }

  /// Why a key is denied; nil where it isn't.
  public func denial(ofKey key: Int) -> String? {
    tables.keys.indices.contains(key) ? tables.denial(ofKey: key) : nil
  }

  /// A verdict in one sentence for people, with the names of entry and keys.
  public func describe(_ verdict: Verdict) -> String {
    let entry = verdict.context.entry.flatMap { entryLabel($0) }.map { "entry " + $0 } ?? "no entry"
    let answer =
      switch verdict {
      case .allow: "allow: "
      case .block: "block: "
      case .notPinned: "not pinned: "
      }
    return answer + reason(for: verdict) + " (" + entry + ")"
  }

  /// A verdict's reason in one clause for people, with the names of keys.
  public func reason(for verdict: Verdict) -> String {
    switch verdict {
    case .allow(let reason, _): text(reason)
    case .block(let reason, _): text(reason)
    case .notPinned(let reason, _): text(reason)
    }
  }

  /// A reason to block in one clause for people, where the rest of the verdict isn't at hand.
  ///
  /// Of a failed trust evaluation it is what is wrong alone: certificate and remedy are reported beside it.
  package func reason(for block: BlockReason) -> String {
    if case .untrusted(let failure) = block { return "trust evaluation failed: " + failure.message }
    return text(block)
  }

  private func text(_ reason: AllowReason) -> String {
    switch reason {
    case .matched(let match): text(match) + " matches"
    case .matchedBoth(let leaf, let authority): text(leaf) + " and " + text(authority) + " match"
    case .mismatchReported(let mismatch): text(mismatch) + ", which is only reported"
    }
  }

  private func text(_ reason: BlockReason) -> String {
    switch reason {
    case .noManifest: "no manifest is in force"
    case .invalidHost(let error): "the host can't be looked up: " + Self.text(error)
    case .unpinnedHost(let reason): "the manifest denies hosts that aren't pinned: " + text(reason)
    case .expired(.entry): "the entry has expired and blocks from then on"
    case .expired(.manifest): "the manifest expired at \(expires), and 'on-stale: block' applies"
    case .untrusted(let failure): "trust evaluation failed: " + failure.explanation
    case .deniedKey(let match): text(match) + " is denied: " + (denial(ofKey: match.key) ?? "")
    case .mismatch(let mismatch): text(mismatch)
    case .unreadableChain: "the public key of a certificate can't be read"
    }
  }

  private func text(_ mismatch: Mismatch) -> String {
    switch mismatch {
    case .noKey: "none of the entry's pins matches the validated chain"
    case .leafMissing(let authority): text(authority) + " matches, but no pin matches the leaf"
    case .authorityMissing(let leaf): text(leaf) + " matches, but no pin matches above the leaf"
    }
  }

  private func text(_ match: PinMatch) -> String {
    let place = match.position == .leaf ? "leaf" : "\(match.position.rawValue), certificate \(match.certificate)"
    return "key \(keyName(match.key) ?? "?") at the \(place)"
  }

  private func text(_ reason: NotPinnedReason) -> String {
    switch reason {
    case .noManifest: "no manifest is in force"
    case .noEntry: "no entry governs the host"
    case .off: "the entry has mode off"
    case .expired(.entry): "the entry has expired and doesn't pin from then on"
    case .expired(.manifest): "the manifest expired at \(expires), and 'on-stale: unpinned' applies"
    }
  }

  private static func text(_ error: HostNameError) -> String {
    switch error {
    case .empty: "it is empty"
    case .emptyLabel: "it has an empty label"
    case .tooLong: "it has more than 253 octets"
    case .labelTooLong: "a label has more than 63 octets"
    case .hyphenAtEdge: "a label begins or ends with a hyphen"
    case .invalidCharacter:
      "it has a character that host names don't have; pass the name alone, without scheme, port or path"
    case .notASCII: "it has characters outside ASCII; ask with A-labels"
    case .invalidAddress:
      "it is neither a name nor an IP address in canonical form; pass it alone, without scheme, port or path"
    }
  }
}
