#if Service
import Logging
import PinFormat
import PinReports
import PinValidator
import Synchronization

extension PintleService {
  /// Sends what the queue has, as its schedule says, until cancelled.
  func sendReports() async {
    let sender = ReportSender(settings: settings.http, store: store, clock: pacing.clock)
    var wait = Duration.zero
    while (try? await pacing.clock.sleep(for: wait)) != nil {
      while !Task.isCancelled, let queue = queue, let delivery = queue.nextDelivery(at: store.now) {
        let result = await sender.send(delivery)
        // A delivery that a shutdown interrupts stays in the queue, and is sent after the next start.
        let now = store.now
        await blocking { queue.finished(delivery.id, result.outcome, at: now) }
        took(result, of: delivery)
      }
      wait = waitForDelivery
    }
  }

  private var queue: ReportQueue? { reporting?.queue.withLock { $0 } }

  /// Until something can be sent, or something new may have been queued.
  private var waitForDelivery: Duration {
    let now = store.now
    let next = queue?.nextDeliveryTime(at: now).map { Duration.seconds(max(1, $0.seconds(since: now))) }
    return min(next ?? settings.housekeepingInterval, settings.housekeepingInterval)
  }

  private func took(_ result: ReportSender.Result, of delivery: Delivery) {
    let now = store.now
    switch result.outcome {
    case .delivered: metrics.countReports("sent")
    case .retryLater: metrics.countReports("failed")
    case .rejected: metrics.countReports("rejected")
    }
    if let failure = result.failure, failure.code != .cancelled {
      log.problem("report not delivered", failure.message, at: now)
    }
  }

  /// Queues what was recorded, and tells what was dropped since the last time.
  func queueReports() {
    guard let reporting else { return }
    let now = store.now
    guard let queue = reporting.open(at: now) else {
      let reason = reporting.problem.withLock { $0 } ?? "the queue can't be opened"
      return log.problem("reports can't be kept", reason, at: now)
    }
    queue.collect(from: reporting.recorder, keysetVersion: store.keyset?.version, at: now)
    for problem in queue.takeProblems() { log.problem("reports can't be kept", problem, at: now) }
    let status = queue.status
    metrics.show(status)
    let told = reporting.told.withLock { told in
      defer { told = status.dropped }
      return told
    }
    for (reason, total) in status.dropped.sorted(by: { $0.key < $1.key }) {
      let more = total - (told[reason] ?? 0)
      guard more > 0 else { continue }
      metrics.countDrops(reason.rawValue, more)
      log.reportsDropped(more, reason: reason.rawValue, at: now)
    }
  }
}

/// What a service that reports holds.
final class Reporting: Sendable {
  let settings: ReportSettings
  let recorder = ReportRecorder()
  /// Nil until the folder could be opened.
  let queue = Mutex<ReportQueue?>(nil)
  /// Why it could not.
  let problem = Mutex<String?>(nil)
  /// The drops that were logged.
  let told = Mutex<[DropReason: Int64]>([:])

  init(_ settings: ReportSettings) {
    self.settings = settings
  }

  /// Opens the queue, where it isn't open; a folder that can't be used now may be usable later.
  func open(at now: Instant) -> ReportQueue? {
    queue.withLock { queue in
      if let queue { return queue }
      do throws(ReportQueueError) {
        let opened = try ReportQueue(settings, at: now)
        queue = opened
        problem.withLock { $0 = nil }
        return opened
      } catch {
        let message = error.message
        problem.withLock { $0 = message }
        return nil
      }
    }
  }
}
#endif
