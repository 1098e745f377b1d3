import Diagnostics
import PinFormat
import PinRelease

extension IssueTime {
  /// Refuses a time that is more than a day ahead of the clock, or of `--at` if that is later.
  ///
  /// - Parameters:
  ///   - issued: When something says that it was issued.
  ///   - at: The command's `--at`. An earlier one refuses nothing that the clock allows.
  /// - Throws: ``CommandFailure``, with exit status 6.
  static func check(_ issued: Instant, rehearsedAt at: TimeArgument?) throws(CommandFailure) {
    try check(issued, at: clock(orLater: at?.instant))
  }

  /// The clock, or a later day that a command is given.
  static func clock(orLater instant: Instant?) -> Instant {
    let now = TimeArgument.now
    return max(now, instant ?? now)
  }
}
