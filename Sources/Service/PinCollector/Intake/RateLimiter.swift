#if Collector
import Synchronization

/// How many requests are taken: so many a second in the long run, and so many at once.
public struct RateLimits: Hashable, Sendable {
  /// Requests a second from one address.
  public var perAddress: Double
  /// Requests at once from one address.
  public var burstPerAddress: Double
  /// Requests a second from all addresses together.
  public var overall: Double
  /// Requests at once from all addresses together, half of which are kept for the first one of an address.
  public var burstOverall: Double

  /// Puts limits together.
  ///
  /// - Parameters:
  ///   - perAddress: Requests a second from one address.
  ///   - burstPerAddress: Requests at once from one address.
  ///   - overall: Requests a second from all addresses together.
  ///   - burstOverall: Requests at once from all addresses together.
  public init(
    perAddress: Double = 2, burstPerAddress: Double = 60, overall: Double = 100, burstOverall: Double = 1_000
  ) {
    self.perAddress = perAddress
    self.burstPerAddress = burstPerAddress
    self.overall = overall
    self.burstOverall = burstOverall
  }
}

/// Token buckets, one for each address and one for all of them.
///
/// The lower half of the bucket for all is for addresses that were silent for ten minutes: a flood from however many
/// addresses can only take what is above, so that somebody's first report gets through.
///
/// Memory is bounded: addresses that have been silent until their bucket was full again are forgotten, and where there
/// are still too many, all that are new share one bucket.
final class RateLimiter: Sendable {
  /// The most addresses that are distinguished.
  static let mostAddresses = 16_384
  /// For how many seconds an address has to be silent to be new again.
  static let silence = 600.0

  private struct Bucket {
    var tokens: Double
    var seconds: Double
    /// When the last token was taken.
    var taken = -RateLimiter.silence

    /// Fills up what has come in since, at most to the burst.
    mutating func refill(rate: Double, burst: Double, at now: Double) {
      tokens = min(burst, tokens + max(0, now - seconds) * rate)
      seconds = now
    }
  }

  private struct State {
    var addresses: [String: Bucket] = [:]
    var others: Bucket
    var overall: Bucket
    var swept = 0.0
  }

  private let limits: RateLimits
  private let state: Mutex<State>

  init(_ limits: RateLimits) {
    self.limits = limits
    state = Mutex(
      State(
        others: Bucket(tokens: limits.burstPerAddress, seconds: 0),
        overall: Bucket(tokens: limits.burstOverall, seconds: 0)))
  }

  /// Takes a token for a request.
  ///
  /// - Parameters:
  ///   - address: Whose request it is.
  ///   - now: Seconds on a clock that never goes back.
  /// - Returns: Nil where the request may go on; else after how many seconds another try is worth it.
  func take(_ address: String, at now: Double) -> Int? {
    state.withLock { state in
      var bucket = state.addresses[address]
      let isNew = bucket.map { now - $0.taken >= Self.silence } ?? true
      if bucket == nil, state.addresses.count >= Self.mostAddresses { sweep(&state, at: now) }
      let isShared = bucket == nil && state.addresses.count >= Self.mostAddresses
      if bucket == nil {
        bucket = isShared ? state.others : Bucket(tokens: limits.burstPerAddress, seconds: now)
      }
      guard var own = bucket else { return 1 }
      own.refill(rate: limits.perAddress, burst: limits.burstPerAddress, at: now)
      state.overall.refill(rate: limits.overall, burst: limits.burstOverall, at: now)
      let needed = isNew ? 1 : 1 + (limits.burstOverall / 2).rounded(.down)
      let wait = max(
        own.tokens < 1 ? (1 - own.tokens) / limits.perAddress : 0,
        state.overall.tokens < needed ? (needed - state.overall.tokens) / limits.overall : 0)
      if wait == 0 {
        own.tokens -= 1
        own.taken = now
        state.overall.tokens -= 1
      }
      if isShared { state.others = own } else { state.addresses[address] = own }
      return wait == 0 ? nil : Int(min(3_600, max(1, wait.rounded(.up))))
    }
  }

  /// How many addresses are distinguished at the moment.
  var addressCount: Int { state.withLock { $0.addresses.count } }

  /// Forgets whose bucket is full again; not more often than once a second, since it looks at all of them.
  private func sweep(_ state: inout State, at now: Double) {
    guard now - state.swept >= 1 else { return }
    state.swept = now
    state.addresses = state.addresses.filter { _, bucket in
      bucket.tokens + max(0, now - bucket.seconds) * limits.perAddress < limits.burstPerAddress
    }
  }
}
#endif
