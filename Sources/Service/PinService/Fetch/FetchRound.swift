#if Service
public import PinValidator

/// What came of asking the URLs, in their order, after the mirrors of keysets.
public struct FetchRound: Sendable {
  /// What it comes to.
  public enum Outcome: String, Hashable, Sendable, CaseIterable {
    /// A newer manifest took effect.
    case activated
    /// The manifest in force is what at least one URL has too.
    case unchanged
    /// No URL gave a manifest that could be taken; what was in force stays in force.
    case failed
  }

  /// One URL, asked once.
  public struct Attempt: Sendable {
    /// The URL without its query.
    public let url: String
    /// The result.
    public let result: Result
  }

  /// What came of asking a URL.
  public enum Result: Hashable, Sendable {
    /// The manifest of this serial took effect.
    case activated(serial: Int64)
    /// It sent the manifest that is in force.
    case unchanged
    /// It said `304 Not Modified` when asked for anything else than the manifest in force.
    case notModified
    /// What it sent was refused.
    case rejected(UpdateError)
    /// It sent nothing that could be a manifest.
    case failed(FetchFailure)

    /// The stable name, as metrics have it.
    public var name: String {
      switch self {
      case .activated: "activated"
      case .unchanged: "unchanged"
      case .notModified: "not-modified"
      case .rejected: "rejected"
      case .failed(let failure): failure.code.description
      }
    }
  }

  /// Each URL that was asked, in order.
  public let attempts: [Attempt]
  /// What came of asking for keysets, before any manifest was asked for.
  public let keysets: KeysetFetch
  /// When the first of the servers that asked for patience may be asked again, in seconds from the round's end; 0 where
  /// none did.
  public let patience: Int64

  /// What it comes to.
  public var outcome: Outcome {
    var outcome = Outcome.failed
    for attempt in attempts {
      switch attempt.result {
      case .activated: return .activated
      case .unchanged, .notModified: outcome = .unchanged
      case .rejected, .failed: continue
      }
    }
    return outcome
  }
}
#endif
