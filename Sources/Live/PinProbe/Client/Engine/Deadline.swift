/// An instant of the monotonic clock by which something must be done.
package struct Deadline: Sendable {
  private let instant: ContinuousClock.Instant

  package init(after duration: Duration) {
    instant = ContinuousClock.now + duration
  }

  /// What is left of the time; zero once it has passed.
  var remaining: Duration { max(.zero, ContinuousClock.now.duration(to: instant)) }

  /// What is left in milliseconds, for the calls that wait; 0 once it has passed.
  var remainingMilliseconds: Int32 { remaining.roundedMilliseconds }
}

extension Duration {
  /// Milliseconds for the calls that wait, rounded up: waking a moment early would only mean to wait again.
  var roundedMilliseconds: Int32 {
    let milliseconds = components.seconds.multipliedReportingOverflow(by: 1_000)
    guard !milliseconds.overflow else { return components.seconds < 0 ? 0 : Int32.max }
    let rest = (components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    return Int32(clamping: max(0, milliseconds.partialValue + rest))
  }

  /// For people, in seconds or milliseconds.
  var asWritten: String {
    let (seconds, attoseconds) = components
    return attoseconds == 0 ? "\(seconds) s" : "\(seconds * 1_000 + attoseconds / 1_000_000_000_000_000) ms"
  }
}
