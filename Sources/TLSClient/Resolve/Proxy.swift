import PinFormat

/// An HTTP proxy that connections go through (CONNECT, RFC 9110 section 9.3.6), and the servers that are reached without.
package struct Proxy: Hashable, Sendable {
  /// Where the proxy listens.
  package let endpoint: Endpoint
  /// The value of `Proxy-Authorization`; never shown.
  let authorization: String?

  init(endpoint: Endpoint, authorization: String?) {
    self.endpoint = endpoint
    self.authorization = authorization
  }
}
