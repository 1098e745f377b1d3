import PinFormat
import PinReports
import PinValidator

func observe(_ settings: inout PinStoreSettings) -> ReportRecorder {
  let recorder = ReportRecorder()
  settings.observers.append(recorder.observer)  // PinStoreSettings, before the store is made
  return recorder
}

func openQueue(at now: Instant) throws -> ReportQueue {
  let queue = try ReportQueue(
    ReportSettings(directory: "/var/lib/payments/reports", service: ReportingService(name: "payments-api")), at: now)
  return queue
}

/// `post` sends a body to a URI as a media type, and answers with the status.
func deliver(
  _ queue: ReportQueue, from recorder: ReportRecorder, of store: PinStore, at now: Instant,
  post: (String, String, [UInt8]) async -> Int
) async {
  queue.collect(from: recorder, keysetVersion: store.keyset?.version, at: now)
  while let delivery = queue.nextDelivery(at: now) {
    // Redirects to another host aren't followed.
    let status = await post(delivery.uri, delivery.mediaType, delivery.body)
    queue.finished(delivery.id, DeliveryOutcome(status: status), at: now)
  }
  for problem in queue.takeProblems() { print("warning: \(problem)") }
}
