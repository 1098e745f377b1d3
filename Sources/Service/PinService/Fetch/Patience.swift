#if Service
import NIOHTTP1
import PinFormat

/// Until when a server asked to be left alone.
struct Patience: Sendable {
  private var heeded: (from: Instant, until: Instant)?

  /// For how many seconds the server isn't asked; 0 where it may be.
  ///
  /// Before it said so is now only where a clock that was ahead was put right: what it asked for is over then.
  func seconds(at now: Instant) -> Int64 {
    guard let heeded, heeded.from <= now else { return 0 }
    return max(0, heeded.until.seconds(since: now))
  }

  /// Why the server isn't asked now; nil where it may be.
  func refusal(at now: Instant) -> FetchFailure? {
    guard let heeded, seconds(at: now) > 0 else { return nil }
    return FetchFailure(.waiting, "the server asked to be left alone until \(heeded.until)")
  }

  /// Heeds the `Retry-After` of a response, of status 429 or 503 only.
  ///
  /// - Parameters:
  ///   - response: What the server answered.
  ///   - now: The time.
  ///   - most: The most seconds that are heeded.
  mutating func heed(_ response: BoundedHTTP.Response, at now: Instant, most: Int64) {
    guard response.status == 429 || response.status == 503,
      let field = response.headers.first(name: "retry-after"),
      let seconds = RetryAfter.seconds(field, at: now, most: most)
    else { return }
    heeded = (from: now, until: now.adding(seconds: seconds))
  }
}
#endif
