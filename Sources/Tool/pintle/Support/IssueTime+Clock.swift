import Diagnostics
import Glibc
import PinFormat
import PinPolicy
import PinRelease

extension IssueTime {
  /// Refuses a time that is more than a day ahead of the clock.
  ///
  /// - Parameter issued: When something says that it was issued.
  /// - Throws: ``CommandFailure``, with exit status 6.
  static func check(_ issued: Instant) throws(CommandFailure) { try check(issued, at: clock()) }

  /// The clock, or what `PINTLE_CLOCK` says where a rehearsal needs another day.
  static func clock() throws(CommandFailure) -> Instant {
    guard let text = getenv("PINTLE_CLOCK").map({ String(cString: $0) }) else { return TimeArgument.now }
    guard let instant = Instant(written: text) else {
      throw CommandFailure(.usage, "PINTLE_CLOCK is not a time like 2027-06-01T12:00:00Z", help: "Unset it.")
    }
    return instant
  }
}
