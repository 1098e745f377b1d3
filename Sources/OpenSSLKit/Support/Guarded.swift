import CLibCrypto

/// A value that one thread at a time may see, behind a lock of libcrypto's.
///
/// `@unchecked`: `value` is only touched while the lock is held. Not the standard library's `Mutex`, so that a small
/// build needs libcrypto and the C library only.
package final class Guarded<Value: Sendable>: @unchecked Sendable {
  private var value: Value
  private let lock: UnsafeMutableRawPointer?

  package init(_ value: Value) {
    self.value = value
    lock = CRYPTO_THREAD_lock_new()
  }

  deinit {
    CRYPTO_THREAD_lock_free(lock)
  }

  /// Lends the value; nil where the lock can't be had, so that nothing is ever seen half written.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result? {
    guard let lock, CRYPTO_THREAD_write_lock(lock) == 1 else { return nil }
    defer { CRYPTO_THREAD_unlock(lock) }
    return body(&value)
  }
}
