/// Why a handshake brought no chain.
///
/// Not reaching a server is never the same as a server that doesn't match.
package struct TLSClientError: Error, Hashable, Sendable {
  package var code: ConnectionFailure
  /// The number of the TLS alert (RFC 8446 section 6), where the server sent one.
  package var alert: UInt8?
  /// The failure in one clause, for people, without the server's address.
  package var message: String

  package init(_ code: ConnectionFailure, alert: UInt8? = nil, _ message: String) {
    self.code = code
    self.alert = alert
    self.message = message
  }
}
