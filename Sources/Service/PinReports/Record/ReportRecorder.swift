import Glibc
import OpenSSLKit
public import PinFormat
public import PinValidator
import Synchronization

/// Counts decisions and keeps what there is to report, until a ``ReportQueue`` takes it over.
///
/// Attach it to a store: `settings.observers.append(recorder.observer)`. It is made for the thread that shakes hands:
/// it waits for nobody, asks the system for nothing, never touches the disk, and its memory is bounded. What finds no
/// room is counted as such, so that no number is silently too low.
public final class ReportRecorder: Sendable {
  /// More than the threads that decide at the very same moment on most machines.
  private static let shardCount = 8

  /// How often ``take()`` asks for a shard that is in use before it leaves that to the next call.
  private static let patience = 1_000

  private let shards: [TryLock<Recorded>]
  private let next = Atomic<UInt64>(0)
  private let busy = Atomic<Int64>(0)

  /// Begins with nothing.
  public init() {
    shards = (0..<Self.shardCount).map { _ in TryLock(Recorded()) }
  }

  /// What to give to `PinStoreSettings.observers`.
  public var observer: @Sendable (PeerHandshake, Decision, Instant) -> Void {
    { self.record($0, $1, at: $2) }
  }

  /// Counts a decision, and keeps the chain if it must be reported.
  ///
  /// - Parameters:
  ///   - handshake: What was judged.
  ///   - decision: The result.
  ///   - instant: When it was judged.
  public func record(_ handshake: PeerHandshake, _ decision: Decision, at instant: Instant) {
    let outcome = Outcome(decision)
    let key = decision.isReportable(of: handshake.peer) ? Self.key(handshake, decision, at: instant) : nil
    let first = next.wrappingAdd(1, ordering: .relaxed).oldValue
    for step in 0..<UInt64(Self.shardCount) {
      let shard = shards[Int((first &+ step) % UInt64(Self.shardCount))]
      let isDone: Void? = shard.withLockIfAvailable { recorded in
        recorded.count(outcome, decision, at: instant)
        if let key { recorded.keep(key, handshake, decision, at: instant) }
      }
      if isDone != nil { return }
    }
    busy.wrappingAdd(1, ordering: .relaxed)
  }

  /// What was recorded since the last call; the recorder begins again.
  ///
  /// What a thread is counting into all the while is there at the next call.
  func take() -> [Recorded] {
    var taken = shards.compactMap { Self.take($0) }
    let missed = busy.exchange(0, ordering: .relaxed)
    if missed > 0 { taken.append(Recorded(uncounted: missed)) }
    return taken.filter { !$0.isEmpty }
  }

  private static func take(_ shard: TryLock<Recorded>) -> Recorded? {
    for _ in 0..<patience {
      let taken = shard.withLockIfAvailable { recorded in
        let result = recorded
        recorded = Recorded()
        return result
      }
      if let taken { return taken }
      sched_yield()
    }
    return nil
  }

  /// The digest of what makes two reports the same: the host, the port, the entry, and the validated chain.
  ///
  /// The served chain isn't part of it: anybody who serves it could append other certificates to it each time.
  private static func key(_ handshake: PeerHandshake, _ decision: Decision, at instant: Instant) -> Incident.Key? {
    guard let chain = decision.chain, let manifest = decision.manifest, let entry = decision.verdict.context.entry
    else { return nil }
    var bytes = Array(MismatchReport.canonical(handshake.host).utf8)
    bytes.append(0)
    bytes.append(contentsOf: (manifest.entryLabel(entry) ?? "").utf8)
    bytes.append(0)
    bytes.append(UInt8(truncatingIfNeeded: handshake.port >> 8))
    bytes.append(UInt8(truncatingIfNeeded: handshake.port))
    for fingerprint in chain.fingerprints { bytes.append(contentsOf: fingerprint.bytes) }
    guard let digest = try? SHA256.digest(of: bytes) else { return nil }
    return Incident.Key(digest: SHA256Digest(digest), day: instant.day)
  }
}

/// A value that one thread at a time may see, which nobody waits for: who finds it in use goes elsewhere.
///
/// Not the standard library's `Mutex`: that would do, but ThreadSanitizer doesn't see how its callers follow each other,
/// and would tell services of races that aren't there. `@unchecked`: `value` is only touched between the two atomics.
final class TryLock<Value: Sendable>: @unchecked Sendable {
  private var value: Value
  private let isTaken = Atomic<Bool>(false)

  init(_ value: Value) {
    self.value = value
  }

  /// Lends the value; nil where another thread has it.
  func withLockIfAvailable<Result>(_ body: (inout Value) -> Result) -> Result? {
    guard isTaken.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else {
      return nil
    }
    defer { isTaken.store(false, ordering: .releasing) }
    return body(&value)
  }
}
