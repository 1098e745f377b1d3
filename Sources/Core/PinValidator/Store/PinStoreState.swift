public import PinFormat

extension PinStore {
  /// Where the manifest in force came from.
  public enum Source: String, Hashable, Sendable {
    /// There is none.
    case none
    /// It was shipped with the service.
    case embedded
    /// It was on disk at the start.
    case stored
    /// It was taken by ``PinStore/update(_:)``.
    case update
  }

  /// What was found when the store was opened.
  public struct Startup: Sendable {
    /// Where the manifest in force came from.
    public let source: Source
    /// What is wrong with the stored state or the embedded manifest, for the service's log; none of it stopped the start.
    public let problems: [Problem]
  }

  /// Something that is wrong with what was stored or shipped.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// A stable name, such as `unreadable-state`.
    public let code: String
    /// What is wrong and what was done instead, for people.
    public let description: String
  }

  /// What an update did.
  public enum Activation: Sendable {
    /// The manifest took effect.
    case activated(LoadedManifest, replacing: LoadedManifest?)
    /// It is the one in force already, byte for byte as signed.
    case unchanged(LoadedManifest)
  }

  /// The state of the store, for health checks and metrics.
  public struct Status: Sendable {
    /// The manifest in force.
    public let manifest: LoadedManifest?
    /// Where it came from.
    public let source: Source
    /// How old it is at ``now``; nil where there is none.
    public let freshness: Freshness?
    /// The keyset by which manifests are taken; nil where the signers are fixed.
    public let keyset: TrustedKeyset?
    /// Whether the keyset has expired at ``now``, so that no further manifest is taken until a newer keyset has come.
    public let isKeysetExpired: Bool
    /// Whether the manifest in force would be taken by the keyset, too.
    ///
    /// False where a newer keyset has come since, and too few of its signers signed the manifest, or its minimum serial is
    /// higher: a manifest that they have signed is due. True where there is no manifest, or the signers are fixed.
    public let isEndorsed: Bool
    /// The serial that an update must not be below: the manifest's, or 0 where that is of an earlier epoch than the keyset.
    public let highestSerial: Int64
    /// The store's time: the wall clock, or when the manifest in force or the keyset was issued where that is later.
    public let now: Instant
  }
}
