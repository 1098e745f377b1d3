#if Service
import PinFormat

/// When to fetch next: pure, with time and randomness as inputs.
struct FetchSchedule: Sendable {
  let settings: FetchSettings
  /// Rounds in a row in which all URLs failed.
  private(set) var failures = 0

  init(_ settings: FetchSettings) {
    self.settings = settings
  }

  /// The wait before the first fetch: none where there is no fresh manifest, else a part of the jitter, so that a fleet
  /// that restarts doesn't ask at once.
  func first(isFresh: Bool, random: Double) -> Duration {
    isFresh ? settings.interval * jitter(random) : .zero
  }

  /// The wait after a round.
  ///
  /// - Parameters:
  ///   - outcome: What the round came to.
  ///   - wasRequested: Whether somebody asked for the round; its failure says nothing about how long to back off.
  ///   - patience: Seconds for which the servers asked to be left alone.
  ///   - refreshAfter: The `refresh-after` of the manifest in force; nil where there is none.
  ///   - now: The store's time.
  ///   - random: From 0 up to, not including, 1.
  /// - Returns: The wait.
  mutating func delay(
    after outcome: FetchRound.Outcome, wasRequested: Bool = false, patience: Int64, refreshAfter: Instant?,
    at now: Instant, random: Double
  ) -> Duration {
    let planned: Duration
    switch outcome {
    case .failed:
      // Half of the delay is fixed, half is random: the requests of a fleet spread out, and nobody retries at once.
      let doublings = min(failures, 30)
      let wait = min(settings.longestRetry, settings.firstRetry * (1 << doublings))
      if !wasRequested { failures += 1 }
      planned = wait / 2 + wait / 2 * random
    case .activated, .unchanged:
      failures = 0
      let untilDue = refreshAfter.map { Duration.seconds($0.seconds(since: now)) } ?? .zero
      let interval = untilDue > .zero ? settings.interval : settings.dueInterval
      planned = (untilDue > .zero ? min(interval, untilDue) : interval) + interval * jitter(random)
    }
    return max(planned, .seconds(patience))
  }

  private func jitter(_ random: Double) -> Double { Double(settings.jitterPercent) / 100 * random }
}
#endif
