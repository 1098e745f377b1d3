/// What a service says about its reports.
public struct ReportSettings: Sendable {
  /// A folder that exists and that no other process has: the queue, the counts, and what was reported lately.
  public var directory: String
  /// What the service says of itself.
  public var service: ReportingService
  /// The format of reports on mismatches.
  public var format: ReportFormat
  /// Addresses whose collectors take another format.
  public var formatsByURI: [String: ReportFormat]
  /// Whether each mismatch is reported.
  public var reportsMismatches: Bool
  /// Whether the day's counts are reported.
  public var reportsAggregates: Bool
  /// Where all of the day's counts go; nil where each entry's go to the entry's own addresses.
  public var aggregateURIs: [String]?
  /// How much, how often, how long.
  public var limits: ReportLimits
  /// Random numbers, for pauses and for the names of reports.
  public var random: @Sendable () -> UInt64

  /// Puts settings together.
  ///
  /// - Parameters:
  ///   - directory: A folder that exists and that no other process has.
  ///   - service: What the service says of itself.
  ///   - format: The format of reports on mismatches.
  public init(directory: String, service: ReportingService, format: ReportFormat = .rfc7469) {
    self.directory = directory
    self.service = service
    self.format = format
    formatsByURI = [:]
    reportsMismatches = true
    reportsAggregates = true
    aggregateURIs = nil
    limits = ReportLimits()
    random = { UInt64.random(in: .min ... .max) }
  }
}

/// How much is kept and sent, how often, and for how long.
public struct ReportLimits: Hashable, Sendable {
  /// The most bytes of all that is in the folder; damaged files go first, then the oldest reports.
  public var queueBytes = 8 << 20
  /// The most reports on disk.
  public var queueReports = 1_000
  /// The most bytes of a report on a mismatch.
  public var reportBytes = 256 << 10
  /// The most bytes of a report with a day's counts.
  public var aggregateBytes = 1 << 20
  /// For how long the same chain of the same host and entry isn't reported again, in seconds.
  public var repeatAfterSeconds: Int64 = 86_400
  /// How many reported chains are remembered; the oldest are forgotten first.
  public var rememberedChains = 4_096
  /// How many deliveries may follow each other without a pause.
  public var burst = 20
  /// How many seconds must pass for each further one.
  public var secondsPerDelivery: Int64 = 30
  /// The pause after a delivery failed, in seconds; it doubles each time.
  public var firstRetrySeconds: Int64 = 60
  /// The longest pause, in seconds; `Retry-After` isn't followed beyond it.
  public var longestRetrySeconds: Int64 = 6 * 3_600
  /// The age at which a report is given up, in seconds.
  public var giveUpSeconds: Int64 = 7 * 86_400
  /// The day's counts are sent at a random time in so many seconds after midnight.
  public var aggregateJitterSeconds: Int64 = 4 * 3_600
  /// For how many seconds an unfinished delivery is waited for before it is tried again.
  public var unfinishedSeconds: Int64 = 600

  /// The limits that are meant for everyday use.
  public init() {}
}
