import CLibSSL
import PinFormat

/// What one TLS handshake brought to light.
package struct Handshake: Hashable, Sendable {
  /// The certificates that the server sent, DER, the leaf first.
  ///
  /// Nothing about them has been validated. libssl gives them parsed, and they are encoded again: what a server encodes
  /// outside DER comes out in DER, except for the part that is signed, which stays as it was.
  package var servedChain: [[UInt8]]
  /// The negotiated version as libssl names it: `TLSv1.2`, `TLSv1.3`.
  package var protocolVersion: String
}

extension Handshake {
  /// Most certificates that are read of what a server sends.
  static let maximumCertificates = 32
  /// Most bytes that are read of a server's certificates, in all.
  static let maximumBytes: Int = 256 * 1_024

  /// Shakes hands once, closes the connection, and answers what was served.
  ///
  /// The chain is **not** validated: that is `PinValidator`'s work, which judges it as a service would. No data but the
  /// handshake is exchanged.
  ///
  /// - Parameters:
  ///   - endpoint: Where to connect.
  ///   - serverName: The name to ask for (SNI, RFC 6066 section 3); nil for none, as for an address.
  ///   - deadline: When to give up.
  /// - Returns: What was served.
  /// - Throws: ``TLSClientError``, which tells an unreachable server from one that broke off.
  package static func perform(
    with endpoint: Endpoint, serverName: String?, by deadline: Deadline
  ) throws(TLSClientError) -> Handshake {
    let session = try TLSSession(serverName: serverName)
    let connection = try Connection(to: endpoint, by: deadline)
    try withoutBrokenPipeSignal { () throws(TLSClientError) in
      try session.connect(over: connection, to: endpoint, by: deadline)
    }
    return Handshake(servedChain: try session.servedChain(), protocolVersion: session.protocolVersion)
  }
}

/// One client-side session of libssl, with a context of its own.
private struct TLSSession: ~Copyable {
  private let context: OpaquePointer
  private let session: OpaquePointer

  init(serverName: String?) throws(TLSClientError) {
    guard let context = SSL_CTX_new(TLS_client_method()) else {
      throw TLSClientError(.local, "libssl gave no context")
    }
    // Not a hole: this module only fetches. The chain is judged by the validator, with the policy's trust settings.
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nil)
    // libssl caps the certificate message itself; a hostile server can't make it hold more than this.
    SSL_CTX_ctrl(context, SSL_CTRL_SET_MAX_CERT_LIST, Handshake.maximumBytes, nil)
    guard pintle_ssl_set_minimum_version(context, TLS1_2_VERSION) == 1, let session = SSL_new(context) else {
      SSL_CTX_free(context)
      throw TLSClientError(.local, "libssl gave no session")
    }
    if let serverName, pintle_ssl_set_server_name(session, serverName) != 1 {
      SSL_free(session)
      SSL_CTX_free(context)
      throw TLSClientError(.local, "libssl refused the server name '\(serverName)'")
    }
    self.context = context
    self.session = session
  }

  deinit {
    SSL_free(session)
    SSL_CTX_free(context)
  }

  var protocolVersion: String { String(cString: SSL_get_version(session)) }

  func connect(over connection: borrowing Connection, to endpoint: Endpoint, by deadline: Deadline)
    throws(TLSClientError)
  {
    guard SSL_set_fd(session, connection.descriptor) == 1 else {
      throw TLSClientError(.local, "libssl refused the socket")
    }
    while true {
      ERR_clear_error()
      let status = SSL_connect(session)
      if status == 1 { return }
      let readiness: Connection.Readiness
      switch SSL_get_error(session, status) {
      case SSL_ERROR_WANT_READ: readiness = .readable
      case SSL_ERROR_WANT_WRITE: readiness = .writable
      default: throw TLSClientError(.brokenHandshake, "\(endpoint) \(Self.reason())")
      }
      guard connection.wait(for: readiness, by: deadline) else {
        throw TLSClientError(.timedOut, "\(endpoint) did not finish the handshake in time")
      }
    }
  }

  func servedChain() throws(TLSClientError) -> [[UInt8]] {
    guard let stack = SSL_get_peer_cert_chain(session), pintle_ssl_chain_count(stack) > 0 else {
      throw TLSClientError(.noCertificate, "the server sent no certificate")
    }
    let count = Int(pintle_ssl_chain_count(stack))
    guard count <= Handshake.maximumCertificates else {
      throw TLSClientError(
        .brokenHandshake, "the server sent \(count) certificates; at most \(Handshake.maximumCertificates) are read")
    }
    var chain: [[UInt8]] = []
    for index in 0..<count {
      chain.append(try Self.der(pintle_ssl_chain_at(stack, Int32(index))))
    }
    return chain
  }

  private static func der(_ certificate: OpaquePointer?) throws(TLSClientError) -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    let length = i2d_X509(certificate, &bytes)
    guard length > 0, let bytes else {
      throw TLSClientError(.local, "libssl could not encode a served certificate")
    }
    defer { pintle_ssl_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(length)))
  }

  /// libssl's own reason, without its version-dependent codes.
  private static func reason() -> String {
    let number = ERR_peek_error()
    guard number != 0, let text = ERR_reason_error_string(number) else {
      return "closed the connection during the handshake"
    }
    return "failed the handshake: \(String(cString: text))"
  }
}
