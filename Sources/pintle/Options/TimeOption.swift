import ArgumentParser
import Glibc
import PinFormat

/// An instant on the command line: RFC 3339 in UTC, a plain date, or `now`.
struct TimeArgument: ExpressibleByArgument {
  let instant: Instant

  init?(argument: String) {
    if argument == "now" {
      instant = Self.now
    } else if let written = Instant(written: argument) {
      instant = written
    } else {
      return nil
    }
  }

  /// The wall clock, read here and nowhere else in the tool; what is below is given an instant.
  static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Instant(secondsSinceEpoch: Int64(time.tv_sec))
  }
}

/// `--at`, the instant that counts as now.
struct TimeOption: ParsableArguments {
  @Option(help: .presentTime)
  var at: TimeArgument?

  var instant: Instant { at?.instant ?? TimeArgument.now }
}

extension ArgumentHelp {
  static var presentTime: ArgumentHelp {
    ArgumentHelp(
      "Evaluate as of this time: 2027-06-01, 2027-06-01T12:00:00Z or 'now'.",
      discussion: "The default is the current time. Set it if the result must be repeatable.",
      valueName: "time")
  }
}
