#if !CryptoKit
import CLibCrypto
import Synchronization

/// A value that one thread at a time may see, behind a lock of libcrypto's.
///
/// A child that was forked while a thread of its parent was at the value never sees it: nobody there would release the
/// lock, and the value may be half written.
///
/// `@unchecked`: `value` is only touched while the lock is held. Not the standard library's `Mutex`, so that a small
/// build needs libcrypto and the C library only.
package final class Guarded<Value: Sendable>: @unchecked Sendable {
  private var value: Value
  private let lock: UnsafeMutableRawPointer?
  /// The fork generation above, and below how many threads of it are at the value, or wait.
  private let visitors: Atomic<UInt64>

  package init(_ value: Value) {
    self.value = value
    lock = CRYPTO_THREAD_lock_new()
    visitors = Atomic(UInt64(ForkGeneration.now) << 32)
  }

  deinit {
    CRYPTO_THREAD_lock_free(lock)
  }

  /// Lends the value; nil where the lock can't be had, so that nothing is ever seen half written.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result? {
    guard let lock, enter() else { return nil }
    defer { visitors.wrappingSubtract(1, ordering: .releasing) }
    guard CRYPTO_THREAD_write_lock(lock) == 1 else { return nil }
    defer { CRYPTO_THREAD_unlock(lock) }
    return body(&value)
  }

  /// Whether a thread of the parent was here when this process was forked from it.
  package var isLost: Bool {
    let seen = visitors.load(ordering: .relaxed)
    return seen >> 32 != UInt64(ForkGeneration.now) && seen & 0xFFFF_FFFF != 0
  }

  private func enter() -> Bool {
    let generation = UInt64(ForkGeneration.now) << 32
    var seen = visitors.load(ordering: .relaxed)
    while true {
      let isOwn = seen & ~0xFFFF_FFFF == generation
      guard isOwn || seen & 0xFFFF_FFFF == 0 else { return false }
      let (done, found) = visitors.compareExchange(
        expected: seen, desired: (isOwn ? seen : generation) + 1, ordering: .acquiring)
      if done { return true }
      seen = found
    }
  }
}
#endif
