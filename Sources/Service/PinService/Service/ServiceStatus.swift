#if Service
public import PinFormat
public import PinValidator

/// How a service is, for health checks.
public struct ServiceStatus: Sendable {
  /// Whether all is as it should be.
  public enum Health: Hashable, Sendable {
    /// A fresh manifest is in force, and its updates arrive.
    case ready
    /// Decisions are made by the last good manifest, or by the policy for having none; each reason says what to look at.
    case degraded([Reason])
  }

  /// Why a service is degraded.
  ///
  /// Two reasons are equal where their codes are.
  public struct Reason: Hashable, Sendable, CustomStringConvertible {
    /// A stable name: `no-manifest`, `manifest-stale`, `refresh-due`, `update-rejected`, `fetch-failing`,
    /// `file-unreadable`, `keyset-expired`, `keyset-expiring`, `manifest-not-endorsed`, `keyset-rejected`,
    /// `keyset-fetch-failing`, `keysets-unreadable`, `startup-problem`, `state-not-written`, `reports-not-kept`,
    /// or `not-running`.
    public let code: String
    /// What is wrong, for people.
    public let description: String

    init(_ code: String, _ description: String) {
      self.code = code
      self.description = description
    }

    /// Compares the codes.
    public static func == (left: Reason, right: Reason) -> Bool { left.code == right.code }

    /// Hashes the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(code) }
  }

  /// Whether all is as it should be.
  public let health: Health
  /// The state of the store.
  public let store: PinStore.Status
  /// When a URL last had the manifest in force or a newer one; nil for never since the start.
  public let lastFetch: Instant?
  /// Denied keys of the manifest in force that some connections of this service can't be checked for above the leaf, by
  /// name: their transport shows nothing but the leaf.
  ///
  /// The leaf is compared with them. Empty where no such connection was decided on since the start.
  public let deniedKeysAboveLeaf: [String]
}

extension ServiceStatus {
  /// The number of the keyset in force; nil where the store has fixed signers.
  public var keysetVersion: Int64? { store.keyset?.version }

  /// Whole days until the keyset in force expires, and negative from then on; nil where the store has fixed signers.
  ///
  /// Mirrors that hide a newer keyset can't be told from mirrors that have none. So this is what shows it: alarm where
  /// fewer days are left than a new keyset is always released before.
  public var keysetDaysLeft: Int64? { store.keysetDaysLeft }
}

extension PinStore.Status {
  /// Whole days until the keyset expires, rounded down.
  var keysetDaysLeft: Int64? {
    guard let seconds = keyset?.expires.seconds(since: now) else { return nil }
    return seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
  }
}

/// What a service remembers for its status.
struct ServiceState: Sendable {
  var isRunning = false
  var lastFetch: Instant?
  var failedRounds = 0
  /// The last refusal, where nothing was taken since.
  var rejection: UpdateError?
  var unreadableFile: String?
  var unwrittenState: String?
  var lastMaintenance: Instant?
  var startupProblems: [PinStore.Problem] = []
  /// How long before its expiry a keyset is warned of, in seconds.
  var keysetWarning: Int64 = 0
  /// The keyset that was logged.
  var toldKeyset: Int64?
  /// Walks in a row in which no mirror of keysets gave a proper answer.
  var failedWalks = 0
  /// The last refusal of a keyset from a mirror, where nothing proper came since.
  var keysetRejection: UpdateError?
  /// The rejection of the keyset in the folder.
  var folderRejection: UpdateError?
  var unreadableKeysets: String?

  /// Rounds in a row that may fail before a service counts as degraded: the schedule is there for single ones.
  static let toleratedRounds = 2

  func health(_ status: PinStore.Status, _ unkeptReports: String?) -> ServiceStatus.Health {
    var reasons: [ServiceStatus.Reason] = []
    func add(_ code: String, _ text: String) { reasons.append(.init(code, text)) }
    if !isRunning { add("not-running", "the service isn't running: nothing updates the manifest") }
    switch status.freshness {
    case nil: add("no-manifest", "no manifest is in force")
    case .stale: add("manifest-stale", "the manifest in force has expired")
    case .refreshDue: add("refresh-due", "the manifest in force should have been replaced by now")
    case .fresh: break
    }
    if let rejection { add("update-rejected", "the last update was rejected: " + rejection.message) }
    if failedRounds > Self.toleratedRounds { add("fetch-failing", "\(failedRounds) fetches in a row failed") }
    if let unreadableFile { add("file-unreadable", unreadableFile) }
    if let keyset = status.keyset { addReasons(of: keyset, status, add) }
    if let problem = startupProblems.first { add("startup-problem", problem.description) }
    if let unwrittenState { add("state-not-written", unwrittenState) }
    if let unkeptReports { add("reports-not-kept", unkeptReports) }
    return reasons.isEmpty ? .ready : .degraded(reasons)
  }
  private func addReasons(of keyset: TrustedKeyset, _ status: PinStore.Status, _ add: (String, String) -> Void) {
    if status.isKeysetExpired {
      add(
        "keyset-expired",
        "keyset \(keyset.version) expired \(keyset.expires): no further manifest is accepted until a newer one arrives")
    } else if keyset.expires.seconds(since: status.now) < keysetWarning {
      add(
        "keyset-expiring",
        "keyset \(keyset.version) expires \(keyset.expires), and a newer one hasn't arrived; days left: "
          + "\(status.keysetDaysLeft ?? 0)")
    }
    if !status.isEndorsed {
      add(
        "manifest-not-endorsed",
        "keyset \(keyset.version) doesn't endorse the manifest in force: release one that its signers signed")
    }
    if let keysetRejection = keysetRejection ?? folderRejection {
      add("keyset-rejected", "the last keyset was rejected: " + keysetRejection.message)
    }
    if failedWalks > Self.toleratedRounds {
      add("keyset-fetch-failing", "no mirror of keysets answered properly, \(failedWalks) times in a row")
    }
    if let unreadableKeysets { add("keysets-unreadable", unreadableKeysets) }
  }
}
#endif
