#if Service
import NIOPosix
import PinValidator

/// Does what waits for a disk or computes for long on a thread that may wait, not on one that tasks share.
///
/// - Parameter work: What to do.
/// - Returns: The result. If the task is cancelled before it began, the work is still done, at once.
@discardableResult
package func blocking<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
  do { return try await NIOThreadPool.singleton.runIfActive(work) } catch { return work() }
}

/// Has a store take something, on a thread that may wait for the disk.
func updating<Taken: Sendable>(
  _ work: @escaping @Sendable () throws(UpdateError) -> Taken
) async -> Result<Taken, UpdateError> {
  await blocking {
    do throws(UpdateError) { return .success(try work()) } catch { return .failure(error) }
  }
}
#endif
