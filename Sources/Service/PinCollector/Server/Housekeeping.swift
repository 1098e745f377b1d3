#if Collector
import Logging
import PinFormat
import ServiceLifecycle

/// Lets go what has become too old, at the start and each hour.
struct Housekeeping: Service {
  let store: CollectorStore
  let logger: Logger
  let now: @Sendable () -> Instant

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do throws(StorageError) {
          try await store.removeOld(at: now())
        } catch {
          logger.error("what is too old stays", metadata: ["reason": "\(error)"])
        }
        try? await Task.sleep(for: .seconds(3_600))
      }
    }
  }
}
#endif
