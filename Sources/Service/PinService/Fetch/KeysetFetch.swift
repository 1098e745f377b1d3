#if Service
public import PinValidator

/// What came of asking the mirrors for the keysets that follow the one in force.
public struct KeysetFetch: Sendable {
  /// A mirror, asked once for one version.
  public struct Attempt: Sendable {
    /// The URL without its query.
    public let url: String
    /// The version that was asked for.
    public let version: Int64
    /// The result.
    public let result: Result
  }

  /// What came of asking a mirror for a version.
  public enum Result: Hashable, Sendable {
    /// The keyset of this version is trusted now.
    case activated
    /// Another process that shares the store's folder, or another thread, had taken it meanwhile.
    case taken
    /// It has none: `404 Not Found` or `410 Gone`. That is how each walk ends that goes well.
    case none
    /// It sent the keyset that is in force, in place of the one that follows.
    case repeated
    /// What it sent was refused.
    case rejected(UpdateError)
    /// It sent nothing that could be a keyset.
    case failed(FetchFailure)

    /// The stable name, as metrics have it.
    public var name: String {
      switch self {
      case .activated: "activated"
      case .taken: "taken"
      case .none: "none"
      case .repeated: "repeated"
      case .rejected: "rejected"
      case .failed(let failure): failure.code.description
      }
    }

    /// Whether the mirror did what mirrors are there for.
    var isProper: Bool {
      switch self {
      case .activated, .taken, .none: true
      case .repeated, .rejected, .failed: false
      }
    }
  }

  /// Each request, in order.
  public let attempts: [Attempt]

  /// How many keysets were taken.
  public var activated: Int { attempts.count { $0.result == .activated } }

  /// Whether mirrors were asked, and none said that it has no more, or had one to take.
  public var hasFailed: Bool { !attempts.isEmpty && !attempts.contains { $0.result.isProper } }
}
#endif
