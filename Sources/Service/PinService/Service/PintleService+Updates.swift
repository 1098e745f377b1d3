#if Service
import Logging
import PinFormat
import PinValidator
import Synchronization

extension PintleService {
  /// Fetches as the schedule says, until cancelled.
  func fetchManifests(_ settings: FetchSettings) async {
    let fetcher: ManifestFetcher
    do {
      fetcher = try ManifestFetcher(settings, http: self.settings.http, into: store, pacing: pacing)
    } catch {
      // Not expected, because the settings were checked at init.
      return log.problem("manifests can't be fetched", error.description, at: store.now)
    }
    log.fetchesUnpinned()
    var schedule = FetchSchedule(settings)
    var delay = schedule.first(isFresh: store.status.isSettled, random: pacing.random())
    while true {
      let end = await fetchWait.sleep(for: delay, on: pacing.clock)
      if end == .cancelled { break }
      let round = await fetcher.fetch()
      if Task.isCancelled { break }
      took(round)
      let isRequested = end == .requested
      delay = schedule.delay(
        after: round.outcome, wasRequested: isRequested, patience: round.patience, refreshAfter: refreshAfter,
        at: store.now, random: pacing.random())
      if isRequested { try? await pacing.clock.sleep(for: Self.pauseAfterRequest) }
    }
    await fetcher.shutdown()
  }

  /// When the next fetch is due at the latest; nil for as soon as it is polite.
  private var refreshAfter: Instant? {
    let status = store.status
    return status.isSettled ? status.manifest?.refreshAfter : nil
  }

  private func took(_ round: FetchRound) {
    let now = store.now
    took(round.keysets)
    metrics.count(round)
    for attempt in round.attempts {
      switch attempt.result {
      case .rejected(let error): took(error, from: attempt.url)
      case .failed(let failure): log.failed(failure, from: attempt.url, at: now)
      case .activated, .unchanged, .notModified: continue
      }
    }
    state.withLock { state in
      switch round.outcome {
      case .activated, .unchanged:
        state.lastFetch = now
        state.failedRounds = 0
        state.rejection = nil
      case .failed: state.failedRounds += 1
      }
    }
    metrics.show(store.status, lastFetch: state.withLock { $0.lastFetch })
  }

  /// Takes note of a refusal, wherever the bytes came from.
  func took(_ error: UpdateError, from place: String) {
    metrics.countRejection(error)
    log.rejected(error, from: place, at: store.now)
    state.withLock { $0.rejection = error }
  }

  /// Takes note of what took effect, no matter who brought it.
  func took(_ activation: PinStore.Activation) {
    guard case .activated(let manifest, let old) = activation else { return }
    metrics.countActivation()
    metrics.show(store.status, lastFetch: state.withLock { $0.lastFetch })
    log.activated(manifest, replacing: old)
    state.withLock { state in
      state.rejection = nil
      // Storing the manifest has replaced the faulty state.
      state.startupProblems = []
    }
  }
}
#endif
