import PinFormat

/// How fast deliveries may follow each other: a token bucket.
struct TokenBucket: Hashable, Sendable {
  let capacity: Int
  let secondsPerToken: Int64
  private(set) var tokens: Int
  /// When the last token was added.
  private(set) var since: Instant

  /// Begins full, or with what was left.
  init(capacity: Int, secondsPerToken: Int64, tokens: Int? = nil, since: Instant) {
    self.capacity = max(1, capacity)
    self.secondsPerToken = max(1, secondsPerToken)
    self.tokens = min(max(0, tokens ?? self.capacity), self.capacity)
    self.since = since
  }

  /// Adds what has come since.
  ///
  /// A clock that was set back adds nothing and takes nothing.
  mutating func refill(at now: Instant) {
    let seconds = now.seconds(since: since)
    guard seconds >= 0 else { return since = now }
    let earned = seconds / secondsPerToken
    if earned >= Int64(capacity - tokens) {
      tokens = capacity
      since = now
    } else {
      tokens += Int(earned)
      since = since.adding(seconds: earned * secondsPerToken)
    }
  }

  /// Takes one token, where there is one.
  mutating func take(at now: Instant) -> Bool {
    refill(at: now)
    guard tokens > 0 else { return false }
    tokens -= 1
    return true
  }

  /// When there is one again.
  func nextToken(at now: Instant) -> Instant { tokens > 0 ? now : since.adding(seconds: secondsPerToken) }
}

/// How long to wait after so many failures in a row.
enum Backoff {
  /// Half of a pause that doubles each time, and a random part of the other half, so that clients that failed together
  /// don't come back together.
  static func seconds(failures: Int, _ limits: ReportLimits, random: UInt64) -> Int64 {
    let longest = longest(limits)
    var pause = min(max(1, limits.firstRetrySeconds), longest)
    for _ in 1..<max(1, min(failures, 40)) where pause < longest { pause *= 2 }
    pause = min(pause, longest)
    let half = pause / 2
    return pause - half + Int64(random % UInt64(half + 1))
  }

  /// The pause after a failure, with what the address asked for as far as that is within reason.
  static func seconds(failures: Int, asked: Int64?, _ limits: ReportLimits, random: UInt64) -> Int64 {
    let own = seconds(failures: failures, limits, random: random)
    return max(own, min(max(0, asked ?? 0), longest(limits)))
  }

  /// At least a second, at most a month.
  private static func longest(_ limits: ReportLimits) -> Int64 { min(max(1, limits.longestRetrySeconds), 30 * 86_400) }
}
