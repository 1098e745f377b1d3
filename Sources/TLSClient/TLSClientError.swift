/// Why a handshake brought no chain.
///
/// Not reaching a server is never the same as a server that doesn't match.
package struct TLSClientError: Error, Hashable, Sendable {
  /// What kind of failure this is.
  package struct Code: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
      case nameNotResolved
      case notConnected
      case timedOut
      case handshakeFailed
      case noCertificate
      case libraryFailed
    }

    private var kind: Kind

    /// DNS has no address for the host, or could not be asked.
    package static let nameNotResolved = Code(kind: .nameNotResolved)
    /// No address accepted a connection.
    package static let notConnected = Code(kind: .notConnected)
    /// The deadline passed first.
    package static let timedOut = Code(kind: .timedOut)
    /// The server ended the handshake, or what it sent isn't TLS.
    package static let handshakeFailed = Code(kind: .handshakeFailed)
    /// The handshake was completed without a server certificate.
    package static let noCertificate = Code(kind: .noCertificate)
    /// libssl refused to work, for want of memory say.
    package static let libraryFailed = Code(kind: .libraryFailed)
  }

  package var code: Code
  /// The failure in one clause, for people.
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
