import PinFormat

/// How the servers of requests are reached: directly, or through the one proxy.
struct Routes: Sendable {
  private let proxy: Proxy?
  private let proxyAddresses: [IPAddress]

  /// Resolves the proxy's name, once for all.
  init(proxy: Proxy?) throws(TLSClientError) {
    self.proxy = proxy
    guard let proxy else {
      proxyAddresses = []
      return
    }
    do {
      proxyAddresses = try SystemResolver.addresses(of: proxy.endpoint.host)
    } catch {
      throw TLSClientError(error.code, "the proxy \(error.message)")
    }
  }

  /// The way to a request's server.
  func route(for request: HandshakeRequest) throws(TLSClientError) -> Conversation.Route {
    if request.usesProxy {
      guard let proxy else { throw TLSClientError(.local, "there is no proxy for '\(request.target)'") }
      return Conversation.Route(
        addresses: proxyAddresses.map { SocketAddress($0, port: proxy.endpoint.port) },
        dialogue: Dialogue(for: request, through: proxy))
    }
    guard let address = request.address else {
      throw TLSClientError(.local, "there is no address to connect to for '\(request.target)'")
    }
    return Conversation.Route(
      addresses: [SocketAddress(address, port: request.port)], dialogue: Dialogue(for: request, through: nil))
  }
}
