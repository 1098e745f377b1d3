import ArgumentParser
import Glibc
import PinFormat

/// An instant on the command line: RFC 3339 in UTC, a plain date, or `now`.
struct TimeArgument: ExpressibleByArgument {
  let instant: Instant
  /// As it was given.
  let written: String

  init?(argument: String) {
    written = argument
    if argument == "now" {
      instant = Self.now
    } else if let written = Instant(written: argument) {
      instant = written
    } else {
      return nil
    }
  }

  /// Reads a time, for the `transform` of an option.
  static func read(_ text: String) throws -> TimeArgument {
    guard let time = TimeArgument(argument: text) else { throw ValidationError(explanation(of: text)) }
    return time
  }

  /// What is wrong with a text that isn't a time, and how to write one.
  static func explanation(of text: String) -> String {
    let howTo = "Write a date (2027-06-01), a time in UTC (2027-06-01T12:00:00Z) or 'now'."
    let parts = text.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
    let isDateWritten = parts[0].split(separator: "-").map(\.count) == [4, 2, 2]
    guard isDateWritten else { return howTo }
    guard Instant(written: String(parts[0])) != nil else { return "There is no day \(parts[0]). " + howTo }
    return parts.count == 2 ? "A time has seconds and ends with 'Z', for UTC. " + howTo : howTo
  }

  /// Words for a command that is proposed if this is what `--at` says, so that it judges by the same time.
  var option: [String] { ["--at", written] }

  /// The wall clock, read here and nowhere else in the tool; what is below is given an instant.
  static var now: Instant { Instant(secondsSinceEpoch: Int64(time(nil))) }
}

/// `--at`, the instant that counts as now.
struct TimeOption: ParsableArguments {
  @Option(help: .presentTime, transform: TimeArgument.read)
  var at: TimeArgument?

  var instant: Instant { at?.instant ?? TimeArgument.now }
}

/// `--at` of commands that make something: its issue time, unless given.
struct IssueTimeOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Evaluate the rules as of this time; the issue time unless given, else the clock.", valueName: "time"),
    transform: TimeArgument.read)
  var at: TimeArgument?

  func instant(for issued: Instant?) -> Instant { at?.instant ?? issued ?? TimeArgument.now }
}

extension ArgumentHelp {
  static var presentTime: ArgumentHelp {
    ArgumentHelp(
      "Evaluate as of this time: 2027-06-01, 2027-06-01T12:00:00Z or 'now', the default.", valueName: "time")
  }
}
