import PinFormat
import Synchronization

/// One handshake with one server, waited for.
package enum Handshake {
  /// Shakes hands once with the first of the host's addresses that answers, closes, and answers what was served.
  ///
  /// The chain is **not** validated: that is `PinValidator`'s work, which judges it as a service would. No data but the
  /// handshake is exchanged. The system's resolver has time limits of its own, which the deadline doesn't shorten.
  ///
  /// - Parameters:
  ///   - endpoint: Where to connect.
  ///   - serverName: The name to ask for (SNI, RFC 6066 section 3); nil for none, as for an address.
  ///   - deadline: When to give up.
  /// - Returns: What was served.
  /// - Throws: ``TLSClientError`` with a message that names the endpoint.
  package static func perform(
    with endpoint: Endpoint, serverName: String?, by deadline: Deadline
  ) throws(TLSClientError) -> Exchange {
    let pool = try HandshakePool(jobs: 1, loops: 1, offers: [nil], credentials: nil, proxy: nil)
    let addresses = try SystemResolver.addresses(of: endpoint.host)
    let source = AddressesInTurn(addresses: addresses, endpoint: endpoint, serverName: serverName, deadline: deadline)
    pool.run(source)
    return try source.result()
  }
}

/// Gives the addresses of one server until one takes the connection.
private final class AddressesInTurn: HandshakeSource {
  private struct State {
    var next = 0
    var result: Result<Exchange, TLSClientError>?
  }

  private let addresses: [IPAddress]
  private let endpoint: Endpoint
  private let serverName: String?
  private let deadline: Deadline
  private let state = Mutex(State())

  init(addresses: [IPAddress], endpoint: Endpoint, serverName: String?, deadline: Deadline) {
    self.addresses = addresses
    self.endpoint = endpoint
    self.serverName = serverName
    self.deadline = deadline
  }

  var isCancelled: Bool { false }

  func next() -> HandshakeAssignment {
    state.withLock { state in
      switch state.result {
      case nil: break
      // Other errors mean that a server answered at this address, so no other one is tried.
      case .failure(let error) where [.refused, .unreachable, .timedOut].contains(error.code): break
      default: return .end
      }
      guard state.next < addresses.count, state.result == nil || deadline.remaining > .zero else { return .end }
      defer { state.next += 1 }
      return .handshake(
        number: state.next,
        HandshakeRequest(
          target: endpoint, address: addresses[state.next], port: endpoint.port, serverName: serverName,
          timeout: deadline.remaining))
    }
  }

  func finish(_ number: Int, _ result: Result<Exchange, TLSClientError>) {
    state.withLock { $0.result = result }
  }

  func result() throws(TLSClientError) -> Exchange {
    switch state.withLock({ $0.result }) {
    case .success(let exchange): return exchange
    case .failure(let error): throw TLSClientError(error.code, alert: error.alert, "\(endpoint): \(error.message)")
    case nil: throw TLSClientError(.local, "\(endpoint): nothing was asked")
    }
  }
}
