/// Why a server showed no certificate: kept apart, since not reaching a server says nothing about its keys.
package enum ConnectionFailure: String, Hashable, Sendable, CaseIterable {
  /// DNS has no address for the name, or could not be queried.
  case nameNotResolved = "name-not-resolved"
  /// The address refused the connection.
  case refused = "refused"
  /// There is no way to the address.
  case unreachable = "unreachable"
  /// The deadline passed first.
  case timedOut = "timed-out"
  /// The connection was closed or reset in the middle.
  case closed = "closed"
  /// The server ended the handshake with a TLS alert.
  case alert = "alert"
  /// What the server sent is not TLS.
  case notTLS = "not-tls"
  /// There is no version of TLS that both speak.
  case protocolVersion = "protocol-version"
  /// The server proved itself with a kind of key that was not offered.
  case wrongKeyFamily = "wrong-key-family"
  /// The server broke the protocol, or sent more than is taken.
  case brokenHandshake = "broken-handshake"
  /// The server sent more certificates, or more bytes of them, than clients read.
  case oversizedChain = "oversized-chain"
  /// The handshake was completed without a server certificate.
  case noCertificate = "no-certificate"
  /// The server would not change to TLS in its own protocol.
  case startTLSRefused = "starttls-refused"
  /// The proxy would not connect.
  case proxyRefused = "proxy-refused"
  /// Probing was ended before an answer came.
  case cancelled = "cancelled"
  /// The machine refused to work, for lack of memory or descriptors say.
  case local = "local"
}
