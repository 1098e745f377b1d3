/// What a verdict is called where machines read it: in counters, reports, the C interface and the conformance vectors.
extension Verdict {
  /// Which of the three answers it is.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Go on.
    case allow
    /// Close the connection.
    case block
    /// The transport's own validation decides.
    case notPinned
  }

  /// Which of the three answers it is.
  public var kind: Kind {
    switch self {
    case .allow: .allow
    case .block: .block
    case .notPinned: .notPinned
    }
  }

  /// The stable code of the reason, such as `denied-key`; one of ``reasonCodes``.
  ///
  /// Allocates nothing.
  public var reasonCode: String {
    switch self {
    case .allow(let reason, _): reason.code
    case .block(let reason, _): reason.code
    case .notPinned(let reason, _): reason.code
    }
  }

  /// Every code that ``reasonCode`` can be: for counters that are made beforehand.
  public static let reasonCodes = [
    "matched", "matched-both", "mismatch-reported", "no-manifest", "invalid-host", "unpinned-host", "expired",
    "untrusted", "denied-key", "mismatch", "unreadable-chain", "no-entry", "off",
  ]

  /// The clock that has run out, where that is the reason.
  public var clock: ExpiryClock? {
    switch self {
    case .block(.expired(let clock), _), .notPinned(.expired(let clock), _),
      .block(.unpinnedHost(.expired(let clock)), _):
      clock
    default: nil
    }
  }

  /// The keys that were found in the validated chain and bear on the answer, from the leaf upwards.
  public var matches: [PinMatch] {
    switch self {
    case .allow(.matched(let match), _), .block(.deniedKey(let match), _): [match]
    case .allow(.matchedBoth(let leaf, let authority), _): [leaf, authority]
    case .allow(.mismatchReported(let mismatch), _), .block(.mismatch(let mismatch), _):
      switch mismatch {
      case .noKey: []
      case .leafMissing(let match), .authorityMissing(let match): [match]
      }
    default: []
    }
  }
}

extension AllowReason {
  fileprivate var code: String {
    switch self {
    case .matched: "matched"
    case .matchedBoth: "matched-both"
    case .mismatchReported: "mismatch-reported"
    }
  }
}

extension BlockReason {
  fileprivate var code: String {
    switch self {
    case .noManifest: "no-manifest"
    case .invalidHost: "invalid-host"
    case .unpinnedHost: "unpinned-host"
    case .expired: "expired"
    case .untrusted: "untrusted"
    case .deniedKey: "denied-key"
    case .mismatch: "mismatch"
    case .unreadableChain: "unreadable-chain"
    }
  }
}

extension NotPinnedReason {
  fileprivate var code: String {
    switch self {
    case .noManifest: "no-manifest"
    case .noEntry: "no-entry"
    case .off: "off"
    case .expired: "expired"
    }
  }
}
