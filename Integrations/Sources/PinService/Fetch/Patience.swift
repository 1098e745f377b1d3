import NIOHTTP1
import PinFormat

/// Until when a server asked to be left alone.
struct Patience: Sendable {
  private(set) var until: Instant?

  /// Why the server isn't asked now; nil where it may be.
  mutating func refusal(at now: Instant) -> FetchFailure? {
    if let until, now < until {
      return FetchFailure(.waiting, "the server asked to be left alone until \(until)")
    }
    until = nil
    return nil
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
    until = now.adding(seconds: seconds)
  }
}
