import OpenSSLKit
import PinFormat

/// What trust evaluation said of chains in the last minute, so that the next handshake with the same peer costs less.
///
/// It belongs to a ``Validator``, so to one manifest and one trust store, and is gone with it. Only answers that a chain
/// is valid are kept, never a decision on its pins. `docs/validation.md`, "What is remembered", says how long.
package final class EvaluationMemory: Sendable {
  /// The most answers that are kept.
  package static let maximumCount = 1_024
  /// The most bytes of certificates of all kept paths together, and of one of them.
  package static let maximumBytes = 4 << 20
  package static let maximumBytesOfPath = 128 << 10
  /// How long an answer is kept, in seconds: by the time that is asked about, and by a clock that nobody sets.
  package static let lifetime: Int64 = 60

  private let state = Guarded(State())
  private let uptime: @Sendable () -> Int64

  /// Makes an empty one.
  ///
  /// - Parameter uptime: The clock that nobody sets, in seconds.
  package init(uptime: @escaping @Sendable () -> Int64 = { SystemClock.uptime }) {
    self.uptime = uptime
  }

  fileprivate struct State: Sendable {
    var items: [Item] = []
    var bytes = 0
    /// Counts recollections, to tell which answer was used last.
    var uses: UInt64 = 0
    var evaluations = 0
  }

  fileprivate struct Item: Sendable {
    let key: SHA256Digest
    let answer: Answer
    var lastUse: UInt64
  }

  fileprivate final class Answer: Sendable {
    let chain: ValidatedChain
    let excused: [ExcusedFailure]
    private let since: Instant
    private let until: Instant
    /// The store's time may stand still, or be set.
    private let lastUptime: Int64

    init(_ chain: ValidatedChain, _ excused: [ExcusedFailure], _ since: Instant, until: Instant, uptime: Int64) {
      self.chain = chain
      self.excused = excused
      self.since = since
      self.until = until
      lastUptime = uptime + lifetime - 1
    }

    /// A clock that was set back ends it as well.
    func holds(at instant: Instant, uptime: Int64) -> Bool {
      since <= instant && instant < until && uptime <= lastUptime
    }
  }

  /// How often trust was evaluated, how many answers are kept, and their bytes.
  package var counts: (evaluations: Int, answers: Int, bytes: Int) {
    state.withLock { ($0.evaluations, $0.items.count, $0.bytes) } ?? (0, 0, 0)
  }

  /// An answer that holds at this time; nil where there is none.
  func recall(_ key: SHA256Digest, at instant: Instant) -> TrustEvaluation? {
    let uptime = uptime()
    let found = state.withLock { state -> Answer? in
      guard let place = state.items.firstIndex(where: { $0.key == key }) else { return nil }
      let answer = state.items[place].answer
      guard answer.holds(at: instant, uptime: uptime) else {
        state.remove(place)
        return nil
      }
      state.uses += 1
      state.items[place].lastUse = state.uses
      return answer
    }
    guard let answer = found ?? nil else { return nil }
    return .trusted(answer.chain, excused: answer.excused)
  }

  /// Takes note of an evaluation at this time, and keeps its answer where the chain is valid.
  func note(_ evaluation: TrustEvaluation, for key: SHA256Digest, at instant: Instant) {
    let uptime = uptime()
    var answer: Answer?
    if case .trusted(let chain, let excused) = evaluation, let change = chain.nextChange,
      chain.byteCount <= Self.maximumBytesOfPath
    {
      let until = min(change, instant.adding(seconds: Self.lifetime))
      answer = Answer(chain, excused, instant, until: until, uptime: uptime)
    }
    _ = state.withLock { state in
      state.evaluations += 1
      state.removeOutdated(at: instant, uptime: uptime)
      if let answer { state.keep(answer, key) }
    }
  }
}

extension EvaluationMemory.State {
  fileprivate mutating func keep(_ answer: EvaluationMemory.Answer, _ key: SHA256Digest) {
    // Another thread may have stored the same evaluation in the meantime.
    if let place = items.firstIndex(where: { $0.key == key }) { remove(place) }
    bytes += answer.chain.byteCount
    while items.count >= EvaluationMemory.maximumCount || bytes > EvaluationMemory.maximumBytes {
      removeLeastRecentlyUsed()
    }
    uses += 1
    items.append(EvaluationMemory.Item(key: key, answer: answer, lastUse: uses))
  }

  /// So that what nobody asks about again doesn't stay in memory either.
  fileprivate mutating func removeOutdated(at instant: Instant, uptime: Int64) {
    for place in items.indices.reversed() where !items[place].answer.holds(at: instant, uptime: uptime) {
      remove(place)
    }
  }

  private mutating func removeLeastRecentlyUsed() {
    var oldest = 0
    for place in items.indices where items[place].lastUse < items[oldest].lastUse { oldest = place }
    remove(oldest)
  }

  fileprivate mutating func remove(_ place: Int) {
    bytes -= items[place].answer.chain.byteCount
    items.swapAt(place, items.count - 1)
    items.removeLast()
  }
}

extension PeerHandshake {
  /// Everything that an evaluation depends on besides its time, the manifest and the trust store, in one digest.
  ///
  /// Each part has a fixed length or is behind its length. With the manifest, the entry's number says which `trust`
  /// counts; there is none where no entry pins the host at the time.
  func evaluationKey(_ served: ServedChain, entry: Int?) -> SHA256Digest? {
    var bytes: [UInt8] = []
    func add(_ number: Int) {
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    bytes.reserveCapacity(48 + host.utf8.count + served.fingerprints.count * SHA256Digest.byteCount)
    add(peer == .server ? 0 : 1)
    add(Int(port))
    add(tlsVersion == nil ? 0 : tlsVersion == .tls12 ? 12 : 13)
    add(entry ?? -1)
    add(host.utf8.count)
    bytes.append(contentsOf: host.utf8)
    add(served.fingerprints.count)
    for fingerprint in served.fingerprints { bytes.append(contentsOf: fingerprint.bytes) }
    guard let digest = try? SHA256.digest(of: bytes) else { return nil }
    return SHA256Digest(digest)
  }
}
