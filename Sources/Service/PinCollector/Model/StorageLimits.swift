#if Collector
/// How much is kept; beyond that, what is oldest goes first, and is counted.
public struct StorageLimits: Hashable, Sendable {
  /// The most different reports.
  public var mismatches: Int64
  /// The most daily counts of clients.
  public var aggregates: Int64
  /// The most bytes of either kind, estimated with what an index takes.
  public var bytes: Int64
  /// How many days something is kept after it was last seen.
  public var days: Int64

  /// Puts limits together.
  ///
  /// - Parameters:
  ///   - mismatches: The most different reports.
  ///   - aggregates: The most daily counts of clients.
  ///   - bytes: The most bytes of reports, and the most bytes of daily counts.
  ///   - days: How many days something is kept after it was last seen.
  public init(mismatches: Int64 = 50_000, aggregates: Int64 = 50_000, bytes: Int64 = 256 << 20, days: Int64 = 180) {
    self.mismatches = mismatches
    self.aggregates = aggregates
    self.bytes = bytes
    self.days = days
  }

  /// The most digests of reports, by which one that is sent again is recognised: few enough to be a small part of the bytes.
  var digests: Int64 { max(64, min(mismatches, bytes / 2_048)) }

  /// The most that a database file may grow to: both kinds, and room for free pages.
  var fileBytes: Int64 { max(1 << 20, bytes.multipliedReportingOverflow(by: 3).partialValue) }
}
#endif
