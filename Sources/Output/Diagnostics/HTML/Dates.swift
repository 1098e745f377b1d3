package import PinFormat

extension Instant {
  /// `2027-06-01`.
  package var day: String { String(description.prefix(10)) }

  /// `in 34 days`, `34 days ago`, `today`, seen from another instant.
  package func distance(from other: Instant) -> String {
    let seconds = seconds(since: other)
    let days = abs(seconds) / 86_400
    if days == 0 { return seconds < 0 ? "less than a day ago" : "in less than a day" }
    let count = days < 730 ? counted(Int(days), "day") : counted(Int(days / 365), "year")
    return seconds < 0 ? count + " ago" : "in " + count
  }

  /// `just now`, `12 minutes ago`, `5 hours ago`, `34 days ago`, seen from a later instant.
  package func ago(at now: Instant) -> String {
    switch now.seconds(since: self) {
    case ..<120: "just now"
    case let seconds where seconds < 7_200: "\(seconds / 60) minutes ago"
    case let seconds where seconds < 172_800: "\(seconds / 3_600) hours ago"
    default: distance(from: now)
    }
  }
}

extension Markup {
  /// A day for people, with the instant for programs and for the curious.
  package mutating func day(_ instant: Instant) {
    element(.time, .plain("datetime", instant.description), .plain("title", instant.description), text: instant.day)
  }

  /// How long ago something happened, with the instant for programs and for the curious.
  package mutating func ago(_ instant: Instant, at now: Instant) {
    element(
      .time, .plain("datetime", instant.description), .plain("title", instant.description), text: instant.ago(at: now))
  }

  /// The whole instant.
  package mutating func instant(_ instant: Instant) {
    element(.time, .plain("datetime", instant.description), text: instant.description)
  }
}
