#if Collector
import Dispatch
import Glibc
import ServiceLifecycle

/// Ends the process where it doesn't end by itself, once it was asked to.
///
/// A database that doesn't answer keeps the thread that asked it, which nothing can cancel.
struct ShutdownLimit: Service {
  let seconds: Int

  func run() async throws {
    try? await gracefulShutdown()
    // On a separate thread, because those of the concurrency runtime may be blocked.
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [seconds] in
      PintleCollect.say("pintle-collect: error: what came in isn't stored after \(seconds) seconds")
      _exit(1)
    }
  }
}
#endif
