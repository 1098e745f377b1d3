#if Service
import Synchronization

/// A wait that others can end early; however many ask for that while nobody waits, the next wait ends at once, once.
final class Wait: Sendable {
  /// Why a wait ended.
  enum End: Hashable, Sendable {
    case elapsed, requested, cancelled
  }

  private struct State {
    var isRequested = false
    var sleeper: Task<Void, Never>?
  }

  private let state = Mutex(State())

  /// Ends the wait that is under way, or else the next one.
  func end() {
    state.withLock { state in
      state.isRequested = true
      return state.sleeper
    }?.cancel()
  }

  /// Waits, and takes the requests that came until the end.
  func sleep(for duration: Duration, on clock: any Clock<Duration>) async -> End {
    let sleeper = Task { _ = try? await clock.sleep(for: duration) }
    let isRequested = state.withLock { state in
      state.sleeper = sleeper
      return state.isRequested
    }
    if isRequested { sleeper.cancel() }
    await withTaskCancellationHandler {
      await sleeper.value
    } onCancel: {
      sleeper.cancel()
    }
    return state.withLock { state in
      defer { state = State() }
      return Task.isCancelled ? .cancelled : state.isRequested ? .requested : .elapsed
    }
  }
}
#endif
