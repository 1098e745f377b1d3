#if Service
import NIOConcurrencyHelpers

/// A clock that stands still until it is moved.
final class ManualClock: Clock, Sendable {
  struct Instant: InstantProtocol {
    var offset: Duration
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant(offset: .zero)
    var sleepers: [Int: (until: Instant, length: Duration, wake: CheckedContinuation<Void, any Error>)] = [:]
    var cancelled: Set<Int> = []
    var next = 0
    var asleep: [Duration] = []
  }

  private let state = NIOLockedValueBox(State())

  var now: Instant { state.withLockedValue { $0.now } }
  var minimumResolution: Duration { .zero }

  /// How long each sleep that began was to be, in their order.
  var sleeps: [Duration] { state.withLockedValue { $0.asleep } }

  /// Whether somebody sleeps who wanted to sleep for so long.
  func isAsleep(for length: Duration) -> Bool {
    state.withLockedValue { $0.sleepers.values.contains { $0.length == length } }
  }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLockedValue { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let ended: Bool? = state.withLockedValue { state in
          state.asleep.append(state.now.duration(to: deadline))
          if state.cancelled.remove(number) != nil { return false }
          if deadline <= state.now { return true }
          state.sleepers[number] = (deadline, state.now.duration(to: deadline), continuation)
          return nil
        }
        switch ended {
        case true: continuation.resume()
        case false: continuation.resume(throwing: CancellationError())
        case nil: break
        }
      }
    } onCancel: {
      let sleeper = state.withLockedValue { state in
        let sleeper = state.sleepers.removeValue(forKey: number)
        if sleeper == nil { state.cancelled.insert(number) }
        return sleeper
      }
      sleeper?.wake.resume(throwing: CancellationError())
    }
  }

  /// Advances, and wakes the tasks that are due.
  func advance(by duration: Duration) {
    let due = state.withLockedValue { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.sorted { $0.until < $1.until }
    }
    for sleeper in due { sleeper.wake.resume() }
  }
}

/// Waits until a condition holds; the suite's time limit ends a wait for what never comes.
func until(_ condition: () -> Bool) async throws {
  while !condition() { try await Task.sleep(for: .milliseconds(2)) }
}
#endif
