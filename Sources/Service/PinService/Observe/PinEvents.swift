#if Service
import Logging
import PinFormat
import PinValidator
import Synchronization

/// A decision that people should see.
struct PinEvent: Sendable {
  let message: Logger.Message
  let host: String
  let port: UInt16
  let instant: Instant
  private let decision: Decision

  /// What to show of a decision; nil for everyday ones.
  init?(_ handshake: PeerHandshake, _ decision: Decision, at instant: Instant) {
    switch decision.verdict {
    case .block: message = "connection blocked"
    case .allow(.mismatchReported, _): message = "pin mismatch reported"
    case .notPinned where decision.disposition == .cancel: message = "connection blocked"
    case .allow, .notPinned: return nil
    }
    host = String(decoding: handshake.host.utf8.prefix(255), as: UTF8.self)
    port = handshake.port
    self.instant = instant
    self.decision = decision
  }

  /// The verdict in one sentence; put together by anybody who shows it, not by the thread that decided.
  var verdict: String { decision.explanation }

  /// Its stable code, and that of what trust evaluation found.
  var reason: String { decision.verdict.reasonCode + " " + (decision.failures.first?.code.description ?? "") }
}

/// A few events on their way from the threads that decide to the log, which may block.
///
/// Taking one costs nothing where there is no room or another thread is at it: the metrics have counted it.
final class PinEvents: Sendable {
  private static let room = 64
  private let events = Mutex<[PinEvent]>([])
  private let leafOnly = Atomic(false)

  /// Whether a connection was decided on whose transport can't see all that the manifest denies.
  var hasLeafOnlyDenials: Bool { leafOnly.load(ordering: .relaxed) }

  func add(_ handshake: PeerHandshake, _ decision: Decision, at instant: Instant) {
    if decision.verdict.context.events.contains(.denialsLeafOnly) { leafOnly.store(true, ordering: .relaxed) }
    guard let event = PinEvent(handshake, decision, at: instant) else { return }
    events.withLockIfAvailable { if $0.count < Self.room { $0.append(event) } }
  }

  func take() -> [PinEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}
#endif
