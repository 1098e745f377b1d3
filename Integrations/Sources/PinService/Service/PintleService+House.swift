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

  /// Shows and writes what has come together since the last time; also at the end, so that nothing is lost.
  func housekeep() {
    let status = store.status
    for event in events.take() { log.mismatch(event) }
    if let manifest = status.manifest, let freshness = status.freshness {
      log.freshness(freshness, of: manifest, at: status.now)
    }
    queueReports()
    metrics.show(status, lastFetch: state.withLock { $0.lastFetch })
  }
}
