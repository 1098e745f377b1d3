#if Service
import PinFormat
import Synchronization

/// Keeps repeated events from flooding a log: each is shown at once, and then once in a while with a count.
final class LogLimiter: Sendable {
  private struct Seen {
    var shown: Instant
    var suppressed: Int
  }

  private let seen = Mutex<[String: Seen]>([:])
  private let pause: Int64
  /// The most events that are distinguished; beyond that the oldest is forgotten.
  private static let maximumEvents = 256

  /// - Parameter pauseSeconds: The time between two showings of the same event.
  init(pauseSeconds: Int64) {
    pause = pauseSeconds
  }

  /// Whether to show an event now.
  ///
  /// - Parameters:
  ///   - event: What makes two events the same.
  ///   - now: The time.
  /// - Returns: How often it was not shown since the last time; nil where it isn't to be shown now either.
  func admit(_ event: String, at now: Instant) -> Int? {
    seen.withLock { seen in
      // A negative time means that a clock that was ahead has been corrected.
      if let known = seen[event], (0..<pause).contains(now.seconds(since: known.shown)) {
        seen[event]?.suppressed += 1
        return nil
      }
      let suppressed = seen[event]?.suppressed ?? 0
      if seen[event] == nil, seen.count >= Self.maximumEvents,
        let oldest = seen.min(by: { $0.value.shown < $1.value.shown })?.key
      {
        seen[oldest] = nil
      }
      seen[event] = Seen(shown: now, suppressed: 0)
      return suppressed
    }
  }
}
#endif
