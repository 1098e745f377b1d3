#if !CryptoKit
import CLibCrypto
import Synchronization

/// How often this process came about by a fork since Pintle was loaded, so that what threads of the parent held is
/// known.
///
/// Reading it isn't a system call.
package enum ForkGeneration {
  fileprivate static let count = Atomic<UInt32>(0)
  private static let isWatched: Bool = {
    _ = count.load(ordering: .relaxed)
    // When the process exits, libcrypto would release its locks and objects while other threads still use them.
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    return pthread_atfork(
      { LibcryptoUse.close() }, { LibcryptoUse.open() },
      {
        ForkGeneration.count.wrappingAdd(1, ordering: .relaxed)
        LibcryptoUse.beginAnew()
      }) == 0
  }()

  package static var now: UInt32 {
    _ = isWatched
    return count.load(ordering: .relaxed)
  }
}

/// Calls of libcrypto, which has locks of its own, also for making and freeing objects.
///
/// A fork waits until no other thread is in one, or its child would find such a lock held for ever. Each call leaves the
/// thread's queue of errors as it was: a transport on the same thread would take what stays there for its own failure.
package enum LibcryptoUse {
  /// How many threads are in a call; from bit 48 on, how many forks are under way.
  private static let state = Atomic<UInt64>(0)
  private static var fork: UInt64 { 1 << 48 }

  /// Runs what makes many such calls, and nothing of the caller's own, as one.
  package static func during<Result>(_ body: () -> Result) -> Result {
    begin()
    defer { end() }
    return body()
  }

  static func begin() {
    if pintle_use_depth(1) == 1 { enter() }
    ERR_set_mark()
  }

  static func end() {
    ERR_pop_to_mark()
    if pintle_use_depth(-1) == 0 { state.wrappingSubtract(1, ordering: .releasing) }
  }

  private static func enter() {
    _ = ForkGeneration.now
    while true {
      let seen = state.load(ordering: .relaxed)
      if seen >= fork {
        sched_yield()
      } else if state.compareExchange(expected: seen, desired: seen + 1, ordering: .acquiring).exchanged {
        return
      }
    }
  }

  /// Lets nobody in, and waits for those who are: for a second at most, as a signal handler may have interrupted one.
  fileprivate static func close() {
    state.wrappingAdd(fork, ordering: .acquiring)
    for _ in 0..<10_000 where state.load(ordering: .acquiring) % fork != own { usleep(100) }
  }

  fileprivate static func open() {
    state.wrappingSubtract(fork, ordering: .releasing)
  }

  /// In the child, nobody but this thread is left.
  fileprivate static func beginAnew() {
    state.store(own, ordering: .releasing)
  }

  private static var own: UInt64 { pintle_use_depth(0) > 0 ? 1 : 0 }
}
#endif
