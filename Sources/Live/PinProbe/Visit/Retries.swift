/// How often, and after which pauses, a visit is tried again.
package struct Retries: Hashable, Sendable {
  /// How many times after the first.
  package var limit: Int
  /// The pause before the first of them, which doubles with each further one.
  package var firstPause: Duration

  package init(limit: Int, firstPause: Duration = .milliseconds(250)) {
    self.limit = limit
    self.firstPause = firstPause
  }

  /// True for what may be over the next time, such as a restart; a server that has answered would answer the same.
  package static func mayPass(_ failure: ConnectionFailure) -> Bool {
    switch failure {
    case .refused, .unreachable, .timedOut, .closed, .local: true
    case .nameNotResolved, .alert, .notTLS, .protocolVersion, .wrongKeyFamily, .brokenHandshake, .oversizedChain,
      .noCertificate, .startTLSRefused, .proxyRefused, .cancelled:
      false
    }
  }

  /// The pause behind a try, counted from 1: between half of the whole pause and all of it.
  ///
  /// The seed chooses where in between, so that servers that failed together aren't asked again all at once.
  package func pause(after attempt: Int, seed: UInt64) -> Duration {
    let doublings = min(max(attempt, 1) - 1, 6)
    let whole = firstPause * (1 << doublings)
    return whole / 2 + whole / 2 * Double(seed % 1_000) / 1_000
  }

  /// The most that all tries and the pauses between them take, of one visit.
  package func longest(timeout: Duration) -> Duration {
    var sum = timeout * (limit + 1)
    for attempt in 1..<(limit + 1) where limit > 0 { sum += pause(after: attempt, seed: 999) }
    return sum
  }
}
