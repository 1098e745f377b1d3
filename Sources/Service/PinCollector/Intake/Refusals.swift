#if Collector
import Synchronization

/// What was refused since the process was started, by reason.
final class Refusals: Sendable {
  /// Why a request wasn't taken.
  enum Reason: String, CaseIterable {
    case tooLarge = "too-large"
    case tooSlow = "too-slow"
    case notRead = "not-read"
    case unsupported
    case foreignHost = "foreign-host"
    case foreignOrigin = "foreign-origin"
    case wrongHost = "wrong-host"
    case tooMany = "too-many"
    case busy
    case notStored = "not-stored"
    case notForwarded = "not-forwarded"
  }

  private let counts = Mutex<[Reason: Int64]>([:])

  func add(_ reason: Reason) { counts.withLock { $0[reason, default: 0] += 1 } }

  /// The counts by name, zeros among them.
  var all: [String: Int64] {
    let counts = counts.withLock { $0 }
    return Dictionary(uniqueKeysWithValues: Reason.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
  }
}
#endif
