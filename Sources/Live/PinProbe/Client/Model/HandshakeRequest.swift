/// One handshake as it is asked for.
package struct HandshakeRequest: Hashable, Sendable {
  /// The server that is meant: what a proxy is asked for, and what messages name.
  package var target: Endpoint
  /// The IP address to connect to; nil where the proxy resolves the name itself.
  package var address: IPAddress?
  /// Whether the pool's proxy is asked for the connection; without an address it has to be.
  package var usesProxy: Bool
  /// The port to connect to.
  package var port: UInt16
  /// The name to ask for (SNI, RFC 6066 section 3); nil for none, as for an address.
  package var serverName: String?
  /// What is offered; nil for everything that libssl offers by itself, from TLS 1.2 on.
  package var offer: Evidence.Offer?
  /// The protocol in which TLS is asked for first.
  package var startTLS: StartTLS?
  /// Whether to ask, behind the handshake, for the `Date` that the server's clock shows, with a HEAD request.
  package var asksDate: Bool
  /// How long all of it may take, from the first byte to the last.
  package var timeout: Duration

  package init(
    target: Endpoint, address: IPAddress?, port: UInt16, serverName: String?, offer: Evidence.Offer? = nil,
    startTLS: StartTLS? = nil, asksDate: Bool = false, usesProxy: Bool = false, timeout: Duration
  ) {
    self.target = target
    self.address = address
    self.usesProxy = usesProxy || address == nil
    self.port = port
    self.serverName = serverName
    self.offer = offer
    self.startTLS = startTLS
    self.asksDate = asksDate
    self.timeout = timeout
  }
}
