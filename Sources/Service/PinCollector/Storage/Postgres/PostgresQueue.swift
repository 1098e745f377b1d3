#if Collector
import Foundation

/// What the threads of a ``PostgresDatabase`` have to do.
///
/// Unchecked, since the condition's lock guards all that changes.
final class PostgresQueue: @unchecked Sendable {
  typealias Job = @Sendable (PostgresWorker) -> Void

  private let condition = NSCondition()
  private let limit: Int
  private var jobs: [Job] = []
  private var workers: Int
  private var isClosed = false
  private var whenDone: (@Sendable () -> Void)?

  init(limit: Int, workers: Int) {
    self.limit = limit
    self.workers = workers
  }

  /// Adds a job; false where there are too many, or it is closed.
  func add(_ job: @escaping Job) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    guard !isClosed, jobs.count < limit else { return false }
    jobs.append(job)
    condition.signal()
    return true
  }

  /// Waits for the next job; nil once it is closed and empty, and the caller is to end.
  func next() -> Job? {
    condition.lock()
    defer { condition.unlock() }
    while jobs.isEmpty, !isClosed { condition.wait() }
    return jobs.isEmpty ? nil : jobs.removeFirst()
  }

  /// Lets the workers end once they have done what is waiting.
  func close(then done: @escaping @Sendable () -> Void) {
    condition.lock()
    isClosed = true
    let isDone = workers == 0
    if !isDone { whenDone = done }
    condition.broadcast()
    condition.unlock()
    if isDone { done() }
  }

  /// A worker has ended and its connection is closed.
  func workerEnded() {
    condition.lock()
    workers -= 1
    let done = workers == 0 ? whenDone : nil
    condition.unlock()
    done?()
  }
}
#endif
