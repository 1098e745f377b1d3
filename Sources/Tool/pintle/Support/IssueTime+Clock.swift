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
  static func check(_ issued: Instant) throws(CommandFailure) { try check(issued, at: clock) }

  /// The clock, or the day of a rehearsal.
  static var clock: Instant { RehearsedTime.instant ?? TimeArgument.wall }
}

/// Another day than today, which `PINTLE_CLOCK` sets for all commands of a shell.
enum RehearsedTime {
  private static let variable = "PINTLE_CLOCK"

  /// Nil without the variable.
  static let instant = getenv(variable).flatMap { Instant(written: String(cString: $0)) }

  /// What counts as now; a terminal shows it, once, because something that has expired could pass unseen.
  static let now: Instant? = {
    if let instant, isatty(STDERR_FILENO) == 1 {
      Console.say("pintle: note: now is \(instant), because \(variable) says so")
    }
    return instant
  }()

  /// - Throws: ``CommandFailure`` where the variable isn't a time.
  static func check() throws(CommandFailure) {
    guard getenv(variable) == nil || instant != nil else {
      throw CommandFailure(.usage, "\(variable) is not a time like 2027-06-01T12:00:00Z", help: "Unset it.")
    }
  }
}
