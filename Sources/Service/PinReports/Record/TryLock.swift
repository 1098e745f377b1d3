import Synchronization

/// A value that one thread at a time may see, which nobody waits for: who finds it in use goes elsewhere.
///
/// Not the standard library's `Mutex`: that would do, but ThreadSanitizer doesn't see how its callers follow each other,
/// and would tell services of races that aren't there. `@unchecked`: `value` is only touched between the two atomics.
final class TryLock<Value: Sendable>: @unchecked Sendable {
  private var value: Value
  private let isTaken = Atomic<Bool>(false)

  init(_ value: Value) {
    self.value = value
  }

  /// Lends the value; nil where another thread has it.
  func withLockIfAvailable<Result>(_ body: (inout Value) -> Result) -> Result? {
    guard isTaken.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else {
      return nil
    }
    defer { isTaken.store(false, ordering: .releasing) }
    return body(&value)
  }
}
