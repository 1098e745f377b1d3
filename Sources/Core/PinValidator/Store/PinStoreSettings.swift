public import PinFormat

/// The settings of a ``PinStore``.
public struct PinStoreSettings: Sendable {
  /// Whose manifests are taken.
  public package(set) var trust: ManifestTrust
  /// The environment that the service runs in; manifests and keysets for any other are refused.
  public package(set) var audience: String
  /// The folder for what must survive a restart: the last good manifest and the keysets.
  ///
  /// It must exist. Without one nothing is kept, and an older manifest is only refused as long as the process runs.
  public var directory: String?
  /// The manifest file that was shipped with the service: what holds where nothing is stored.
  public var embedded: [UInt8]?
  /// What holds where there is neither a stored nor an embedded manifest.
  public var withoutManifest: WithoutManifest
  #if !CryptoKit
  /// The anchors that count as the system's.
  public var anchors: TrustAnchors
  #endif
  /// The most bytes of a manifest file that are read.
  public var maximumBytes: Int
  /// What keeps a valid manifest from taking effect.
  public var activationGuard: ActivationGuard
  /// The wall clock; the store's time is never before its manifest or keyset was issued.
  public var clock: @Sendable () -> Instant
  /// Called after every decision, on the thread that asked, which may be an event loop: for counters and reports.
  ///
  /// Must not block.
  public var observers: [@Sendable (PeerHandshake, Decision, Instant) -> Void]

  /// Puts settings together for signers that never change without a new client.
  ///
  /// - Parameters:
  ///   - signers: Whose signatures make a manifest valid.
  ///   - audience: The environment that the service runs in.
  ///   - withoutManifest: What holds where there is neither a stored nor an embedded manifest.
  public init(signers: TrustedSigners, audience: String, withoutManifest: WithoutManifest) {
    self.init(.signers(signers), audience: audience, withoutManifest)
  }

  /// Puts settings together for signers that a keyset names, which newer keysets may change.
  ///
  /// - Parameters:
  ///   - keyset: The keyset that was shipped with the service; its audience is the service's.
  ///   - withoutManifest: What holds where there is neither a stored nor an embedded manifest.
  public init(keyset: TrustedKeyset, withoutManifest: WithoutManifest) {
    self.init(.keyset(keyset), audience: keyset.audience, withoutManifest)
  }

  private init(_ trust: ManifestTrust, audience: String, _ withoutManifest: WithoutManifest) {
    self.trust = trust
    self.audience = audience
    self.withoutManifest = withoutManifest
    directory = nil
    embedded = nil
    #if !CryptoKit
    anchors = .system
    #endif
    maximumBytes = LoadedManifest.defaultMaximumBytes
    activationGuard = ActivationGuard()
    clock = { SystemClock.now }
    observers = []
  }
}

/// What every question is answered with as long as no manifest is in force.
public enum WithoutManifest: Hashable, Sendable {
  /// `block`: nothing is connected to.
  case block
  /// `notPinned`: the transport's own validation decides.
  case notPinned
}

/// What keeps a valid manifest from taking effect, unless it was signed as meant so (`drastic-change`).
public struct ActivationGuard: Hashable, Sendable {
  /// The part of the pinned host entries that may be gone at once, in percent.
  public var maximumLossPercent: Int
  /// Whether chains that were allowed lately are asked about first.
  public var replaysRecentChains: Bool
  /// For how long a chain counts as seen lately, in seconds.
  ///
  /// Shorter than it takes from a server's change of keys to the release that takes the old one away.
  public var recentPeriod: Int64

  /// Puts a guard together.
  ///
  /// - Parameters:
  ///   - maximumLossPercent: The part of the pinned host entries that may be gone at once, 0 to 100.
  ///   - replaysRecentChains: Whether chains that were allowed lately are asked about first.
  ///   - recentPeriod: For how long a chain counts as seen lately, in seconds; a day unless given.
  public init(maximumLossPercent: Int = 30, replaysRecentChains: Bool = true, recentPeriod: Int64 = 86_400) {
    self.maximumLossPercent = maximumLossPercent
    self.replaysRecentChains = replaysRecentChains
    self.recentPeriod = recentPeriod
  }
}
