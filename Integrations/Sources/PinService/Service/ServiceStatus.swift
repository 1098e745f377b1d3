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
    /// `file-unreadable`, `startup-problem`, `state-not-written`, `reports-not-kept`,
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
    if let rejection { add("update-rejected", "the last update was refused: " + rejection.message) }
    if failedRounds > Self.toleratedRounds { add("fetch-failing", "\(failedRounds) fetches in a row failed") }
    if let unreadableFile { add("file-unreadable", unreadableFile) }
    if let problem = startupProblems.first { add("startup-problem", problem.description) }
    if let unwrittenState { add("state-not-written", unwrittenState) }
    if let unkeptReports { add("reports-not-kept", unkeptReports) }
    return reasons.isEmpty ? .ready : .degraded(reasons)
  }
}
