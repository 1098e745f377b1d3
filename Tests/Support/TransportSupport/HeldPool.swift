#if NIOSSL
import Dispatch
package import NIOPosix

/// A pool of one thread, which can be kept busy as applications keep busy the pool that all of a process shares.
package final class HeldPool: Sendable {
  package let pool = NIOThreadPool(numberOfThreads: 1)
  private let release = DispatchSemaphore(value: 0)

  fileprivate init() { pool.start() }

  /// Keeps the pool from running anything; returns when it is so.
  package func hold() async {
    await withCheckedContinuation { continuation in
      pool.submit { [release] _ in
        continuation.resume()
        release.wait()
      }
    }
  }

  /// Ends the latest ``hold()``.
  package func letGo() { release.signal() }

  fileprivate func end() async {
    // Releasing once more does no harm, and a failed test may have left a held thread.
    letGo()
    try? await pool.shutdownGracefully()
  }
}

/// Runs a test with a pool that can be held.
package func withHeldPool<Result>(_ body: (HeldPool) async throws -> Result) async throws -> Result {
  let held = HeldPool()
  do {
    let result = try await body(held)
    await held.end()
    return result
  } catch {
    await held.end()
    throw error
  }
}
#endif
