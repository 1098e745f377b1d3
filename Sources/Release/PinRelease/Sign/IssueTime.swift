package import Diagnostics
package import PinFormat

/// When a release or keyset says that it was issued: clients never take an earlier time than that for now, so one that
/// is far ahead would have them count everything as expired.
package enum IssueTime {
  /// How far it may be ahead of the clock, in seconds: clocks differ, and a plain date begins at midnight.
  package static let tolerance: Int64 = 86_400

  /// Refuses a time that is more than a day ahead.
  ///
  /// - Parameters:
  ///   - issued: When it says that it was issued.
  ///   - now: The current time.
  ///   - path: The file that says so; nil for one that is being made.
  /// - Throws: ``WorkFailure`` of kind `refused`.
  package static func check(
    _ issued: Instant, at now: Instant, of path: String? = nil
  ) throws(WorkFailure) {
    guard issued.seconds(since: now) > tolerance else { return }
    throw WorkFailure(
      .refused,
      (path.map { "'\($0)' is rejected: " } ?? "")
        + "the issue time \(issued) is more than a day ahead of the current time, \(now)",
      help: "Clients would take that for the present and count what expires before it as expired. Correct the issue "
        + "time, or this machine's clock; to rehearse a later day, give it with --at.")
  }
}
