#if Service
import PinFormat

/// When to fetch next: pure, with time and randomness as inputs.
struct FetchSchedule: Sendable {
  let settings: FetchSettings
  /// Rounds in a row in which all URLs failed.
  private(set) var failures = 0
  /// Whether the fleet's clients are likely to fetch at different times.
  ///
  /// They aren't after something that happened to all of them: a start, an outage, a manifest that was due, a request.
  private var isScattered = false

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
      if !wasRequested {
        failures += 1
        isScattered = false
      }
      planned = wait / 2 + wait / 2 * random
    case .activated, .unchanged:
      failures = 0
      let untilDue = refreshAfter.map { Duration.seconds($0.seconds(since: now)) } ?? .zero
      if untilDue > .zero {
        let wait = min(settings.interval, untilDue)
        // The jitter alone would need days until the fetches of such clients are spread over the interval.
        planned = isScattered && !wasRequested ? wait + settings.interval * jitter(random) : wait * random
      } else {
        planned = settings.dueInterval + settings.dueInterval * jitter(random)
      }
      isScattered = untilDue > .zero
    }
    // A date in `Retry-After` is the same instant for all clients.
    let patience = Duration.seconds(patience)
    return max(planned, patience + min(patience, settings.longestRetry) * random)
  }

  private func jitter(_ random: Double) -> Double { Double(settings.jitterPercent) / 100 * random }
}
#endif
