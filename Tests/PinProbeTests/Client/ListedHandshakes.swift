import PinFormat
import PinProbe
import Synchronization

/// Gives out a list of handshakes, and keeps what came of each.
final class ListedHandshakes: HandshakeSource {
  private struct State {
    var next = 0
    var underWay = 0
    var mostAtOnce = 0
    var isCancelled = false
    var exchanges = 0
    var results: [Result<Exchange, TLSClientError>?]
  }

  private let requests: [HandshakeRequest]
  private let cancelsAfter: Int?
  private let cancelsAfterResults: Int?
  private let state: Mutex<State>

  /// Where a number is given, everything is cancelled once so many have been given out, or have come to an exchange.
  init(_ requests: [HandshakeRequest], cancelsAfter: Int? = nil, cancelsAfterResults: Int? = nil) {
    self.requests = requests
    self.cancelsAfterResults = cancelsAfterResults
    self.cancelsAfter = cancelsAfter
    state = Mutex(State(results: Array(repeating: nil, count: requests.count)))
  }

  var isCancelled: Bool { state.withLock(\.isCancelled) }

  func next() -> HandshakeAssignment {
    state.withLock { state in
      guard state.next < requests.count else { return .end }
      defer { state.next += 1 }
      state.underWay += 1
      state.mostAtOnce = max(state.mostAtOnce, state.underWay)
      if let cancelsAfter, state.next + 1 >= cancelsAfter { state.isCancelled = true }
      return .handshake(number: state.next, requests[state.next])
    }
  }

  func finish(_ number: Int, _ result: Result<Exchange, TLSClientError>) {
    state.withLock { state in
      state.underWay -= 1
      if case .success = result { state.exchanges += 1 }
      if let cancelsAfterResults, state.exchanges >= cancelsAfterResults { state.isCancelled = true }
      // Records a second result for the same number as an error.
      state.results[number] =
        state.results[number] == nil
        ? result : .failure(TLSClientError(.local, "handshake \(number) was finished twice"))
    }
  }

  /// What came of each request, nil where it was not finished.
  var results: [Result<Exchange, TLSClientError>?] { state.withLock(\.results) }

  /// Why each request came to nothing, nil where it didn't.
  var errors: [TLSClientError?] {
    results.map { result in
      guard case .failure(let error) = result else { return nil }
      return error
    }
  }

  /// How many have been given out.
  var given: Int { state.withLock(\.next) }

  /// How many were ever under way at one time.
  var mostAtOnce: Int { state.withLock(\.mostAtOnce) }
}

extension HandshakeRequest {
  /// A handshake with a server on 127.0.0.1 for `example.com`.
  static func to(
    _ port: UInt16, offer: Evidence.Offer? = nil, timeout: Duration = .seconds(10),
    _ change: (inout HandshakeRequest) -> Void = { _ in }
  ) -> HandshakeRequest {
    var request = HandshakeRequest(
      target: Endpoint(host: "example.com", port: port), address: IPAddress("127.0.0.1"), port: port,
      serverName: "example.com", offer: offer, timeout: timeout)
    change(&request)
    return request
  }

  /// The result of this one handshake.
  func result(credentials: ClientCredentials? = nil, proxy: Proxy? = nil) throws -> Result<Exchange, TLSClientError> {
    let source = ListedHandshakes([self])
    try HandshakePool(jobs: 1, loops: 1, credentials: credentials, proxy: proxy).run(source)
    guard let result = source.results[0] else { throw TLSClientError(.local, "the handshake was never finished") }
    return result
  }
}
