#if CryptoKit
import Synchronization

/// A value that one thread at a time may see.
package final class Guarded<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  package init(_ value: Value) {
    self.value = Mutex(value)
  }

  /// Lends the value; never nil, as the lock can always be had.
  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result? {
    // Nothing of the value leaves but what the caller could copy anyway: it is Sendable.
    nonisolated(unsafe) var result: Result?
    value.withLock { result = body(&$0) }
    return result
  }

  /// Apple's frameworks can't be used in a child that was forked and hasn't called exec.
  package var isLost: Bool { false }
}

/// How often this process came about by a fork: nothing of Pintle is used in a child, see ``Guarded``.
package enum ForkGeneration {
  package static var now: UInt32 { 0 }
}
#endif
