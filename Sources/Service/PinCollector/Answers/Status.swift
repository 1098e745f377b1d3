#if Collector
extension Answers {
  /// `/v1/status`: how the collector is.
  struct Status: Encodable, Equatable {
    var type = "pintle-collector-status"
    var version = 1
    var database: String
    var stored: Kept
    var limits: Limits
    /// What was let go because the limits were reached.
    var dropped: Dropped
    /// What was received altogether, since the database was made.
    var received: Received
    /// What this process refused, since it was started.
    var refused: [String: Int64]
  }

  /// What is in the database.
  struct Kept: Encodable, Equatable {
    var mismatches: Int64
    var mismatchBytes: Int64
    var aggregates: Int64
    var aggregateBytes: Int64

    enum CodingKeys: String, CodingKey {
      case mismatches, aggregates
      case mismatchBytes = "mismatch-bytes"
      case aggregateBytes = "aggregate-bytes"
    }
  }

  /// How much is kept.
  struct Limits: Encodable, Equatable {
    var mismatches: Int64
    var aggregates: Int64
    var bytes: Int64
    var days: Int64
  }

  /// What was let go.
  struct Dropped: Encodable, Equatable {
    var mismatches: Int64
    var aggregates: Int64
  }

  /// What came in.
  struct Received: Encodable, Equatable {
    var reports: Int64
    var aggregates: Int64
    var repeatedReports: Int64
    var repeatedAggregates: Int64

    enum CodingKeys: String, CodingKey {
      case reports, aggregates
      case repeatedReports = "repeated-reports"
      case repeatedAggregates = "repeated-aggregates"
    }
  }
}
#endif
