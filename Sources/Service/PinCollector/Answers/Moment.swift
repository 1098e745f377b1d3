#if Collector
import PinFormat

/// An instant as JSON has it: RFC 3339 in UTC.
struct Moment: Encodable, Equatable {
  let instant: Instant

  init(_ seconds: Int64) { instant = Instant(secondsSinceEpoch: seconds) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(instant.description)
  }
}

/// Days since 1970 as text.
enum DayText {
  /// `2026-11-21`.
  static func of(_ day: Int64) -> String {
    let (seconds, overflow) = day.multipliedReportingOverflow(by: 86_400)
    let instant = overflow ? Instant.latest : Instant(secondsSinceEpoch: seconds)
    return String(instant.description.prefix(10))
  }
}
#endif
