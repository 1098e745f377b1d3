import Diagnostics
import Glibc
import PinFormat

/// When a release or keyset says that it was issued: clients never take an earlier time than that for now, so one that
/// is far ahead would have them count everything as expired.
enum IssueTime {
  /// How far it may be ahead of the clock, in seconds: clocks differ, and a plain date begins at midnight.
  static let tolerance: Int64 = 86_400

  /// Refuses a time that is more than a day ahead.
  ///
  /// - Parameter issued: When it says that it was issued.
  /// - Throws: ``CommandFailure``, with exit status 6.
  static func check(_ issued: Instant) throws(CommandFailure) {
    let now = try clock()
    guard issued.seconds(since: now) > tolerance else { return }
    throw CommandFailure(
      .refused, "the issue time \(issued) is more than a day ahead of the clock, which says \(now)",
      help: "Clients would take that for the present and count what expires before it as expired. Correct the issue "
        + "time, or this machine's clock.")
  }

  /// The clock, or what `PINTLE_CLOCK` says where a rehearsal needs another day.
  static func clock() throws(CommandFailure) -> Instant {
    guard let text = getenv("PINTLE_CLOCK").map({ String(cString: $0) }) else { return TimeArgument.now }
    guard let instant = Instant(written: text) else {
      throw CommandFailure(.usage, "PINTLE_CLOCK is not a time like 2027-06-01T12:00:00Z", help: "Unset it.")
    }
    return instant
  }
}
