#if NIOSSL
import NIOConcurrencyHelpers
import NIOCore

/// Tells handshakes that take too long, with one timer for each event loop.
///
/// With a timer each, every handshake that completes would have to cancel its own, for which SwiftNIO looks through all
/// timers of the event loop: the more handshakes hang, the more each other one would cost.
final class HandshakeTimers: Sendable {
  /// How long a handshake may take.
  let timeout: TimeAmount

  private let loops = NIOLockedValueBox<[ObjectIdentifier: NIOLoopBound<Waiting>]>([:])

  init(_ timeout: TimeAmount) {
    self.timeout = timeout
  }

  /// Those that wait on an event loop; ask on that loop.
  func waiting(on eventLoop: any EventLoop) -> Waiting {
    loops.withLockedValue { loops in
      if let waiting = loops[ObjectIdentifier(eventLoop)] { return waiting }
      let waiting = NIOLoopBound(Waiting(timeout, eventLoop), eventLoop: eventLoop)
      loops[ObjectIdentifier(eventLoop)] = waiting
      return waiting
    }.value
  }

  /// The handshakes of one event loop, which began in the order in which their time is up.
  final class Waiting {
    private let timeout: TimeAmount
    private let eventLoop: any EventLoop
    private var handlers: [Int: PinGuardHandler] = [:]
    /// Also of handshakes that have ended since.
    private var deadlines = CircularBuffer<(instant: NIODeadline, number: Int)>()
    private var count = 0
    private var isScheduled = false

    init(_ timeout: TimeAmount, _ eventLoop: any EventLoop) {
      self.timeout = timeout
      self.eventLoop = eventLoop
    }

    /// Begins to wait, and returns the number under which to end it.
    func begin(_ handler: PinGuardHandler) -> Int {
      count += 1
      handlers[count] = handler
      deadlines.append((eventLoop.now + timeout, count))
      schedule()
      return count
    }

    func end(_ number: Int) {
      handlers[number] = nil
      if handlers.isEmpty { deadlines.removeAll(keepingCapacity: true) }
    }

    private func schedule() {
      guard !isScheduled, let next = deadlines.first else { return }
      isScheduled = true
      eventLoop.assumeIsolated().scheduleTask(deadline: next.instant) {
        self.isScheduled = false
        self.tell(at: self.eventLoop.now)
      }
    }

    private func tell(at now: NIODeadline) {
      while let next = deadlines.first, handlers[next.number] == nil || next.instant <= now {
        deadlines.removeFirst()
        handlers.removeValue(forKey: next.number)?.timeOut()
      }
      schedule()
    }
  }
}
#endif
