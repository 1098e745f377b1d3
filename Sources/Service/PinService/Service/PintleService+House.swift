#if Service
import Logging
import PinFormat
import PinValidator
import Synchronization

extension PintleService {
  /// Looks at what there is to do, again and again until cancelled.
  func keepHouse() async {
    while (try? await pacing.clock.sleep(for: settings.housekeepingInterval)) != nil {
      await blocking { self.housekeep() }
    }
  }

  /// Shows and writes what has come together since the last time.
  ///
  /// - Parameter isLast: Whether the service ends, so that all must be written now.
  func housekeep(isLast: Bool = false) {
    maintain(isLast: isLast)
    let status = store.status
    for event in events.take() { log.mismatch(event) }
    if let manifest = status.manifest, let freshness = status.freshness {
      log.freshness(freshness, of: manifest, at: status.now)
    }
    noteKeyset()
    log.keyset(status, warning: settings.keysetWarning.components.seconds)
    // An update that changed nothing else has brought the missing signatures.
    if status.isEndorsed { state.withLock { $0.startupProblems.removeAll { $0.code == "disowned-manifest" } } }
    let unseen = deniedKeysAboveLeaf(status)
    metrics.show(deniedAboveLeaf: unseen)
    if let manifest = status.manifest, !unseen.isEmpty {
      log.deniedAboveLeaf(unseen, by: manifest, at: status.now)
    }
    queueReports()
    metrics.show(status, lastFetch: state.withLock { $0.lastFetch })
  }

  /// The time between two looks at the folder, in seconds.
  private static let maintenanceSeconds: Int64 = 600

  private func maintain(isLast: Bool) {
    let now = store.now
    let isDue = state.withLock { state in
      let last = state.lastMaintenance
      // A negative time means that a clock that was ahead has been corrected.
      if !isLast, let last, (0..<Self.maintenanceSeconds).contains(now.seconds(since: last)) { return false }
      state.lastMaintenance = now
      return true
    }
    guard isDue else { return }
    do throws(UpdateError) {
      try store.maintain()
      state.withLock { $0.unwrittenState = nil }
    } catch {
      let message = error.message
      state.withLock { $0.unwrittenState = message }
      log.problem("state not written", message, at: now)
    }
  }
}
#endif
