import PinFormat
import PinProbe
import Synchronization

/// Makes the handshakes of a queue one after the other by a script, on a clock that goes on only when all wait.
final class FakeEngine: Sendable {
  /// One handshake as it was given out.
  struct Call: Equatable {
    var server: String
    var address: String
    var offer: Evidence.Offer?
    var asksDate: Bool
    var timeout: Duration
    /// Since the beginning.
    var time: Duration
  }

  typealias Script = @Sendable (HandshakeRequest, _ number: Int) -> Result<Exchange, TLSClientError>

  private struct State {
    var elapsed: Duration = .zero
    var calls: [Call] = []
    var isCancelled = false
    var progress: [ProbeProgress] = []
  }

  private let start = ContinuousClock.now
  private let state = Mutex(State())
  /// How long each handshake takes.
  private let duration: Duration
  private let cancelsAfter: Int

  init(handshakesTake duration: Duration = .zero, cancelsAfter: Int = .max) {
    self.duration = duration
    self.cancelsAfter = cancelsAfter
  }

  var calls: [Call] { state.withLock { $0.calls } }
  var progress: [ProbeProgress] { state.withLock { $0.progress } }

  var surroundings: VisitQueue.Surroundings {
    var surroundings = VisitQueue.Surroundings { Instant(secondsSinceEpoch: 1_795_219_200) }
    surroundings.ticks = { self.start + self.state.withLock { $0.elapsed } }
    surroundings.isCancelled = { self.state.withLock { $0.isCancelled } }
    surroundings.progress = { progress in self.state.withLock { $0.progress.append(progress) } }
    return surroundings
  }

  /// Runs until the queue says that nothing is left; `order` chooses which of those under way ends next.
  func run(_ queue: VisitQueue, atOnce: Int = 1, order: (Int) -> Int = { _ in 0 }, script: Script) {
    var underWay: [(number: Int, request: HandshakeRequest)] = []
    var isOver = false
    while !isOver || !underWay.isEmpty {
      var wait: ContinuousClock.Instant?
      while !isOver, wait == nil, underWay.count < atOnce {
        switch queue.next() {
        case .handshake(let number, let request): underWay.append((number, begin(request, number)))
        case .wait(let until): wait = until
        case .end: isOver = true
        }
      }
      if !underWay.isEmpty {
        let (number, request) = underWay.remove(at: order(underWay.count))
        let result: Result<Exchange, TLSClientError> =
          queue.isCancelled ? .failure(TLSClientError(.cancelled, "cancelled")) : script(request, number)
        state.withLock { state in
          state.elapsed += duration
          if state.calls.count >= cancelsAfter { state.isCancelled = true }
        }
        queue.finish(number, result)
      } else if let wait {
        state.withLock { $0.elapsed = max($0.elapsed, start.duration(to: wait)) }
      }
    }
  }

  private func begin(_ request: HandshakeRequest, _ number: Int) -> HandshakeRequest {
    state.withLock { state in
      state.calls.append(
        Call(
          server: request.target.description, address: request.address?.description ?? "proxy", offer: request.offer,
          asksDate: request.asksDate, timeout: request.timeout, time: state.elapsed))
    }
    return request
  }
}
