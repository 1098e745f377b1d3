import CLibSSL
import Glibc
import PinFormat

/// One client-side session of libssl over a connected, non-blocking socket, which it does not own.
final class TLSSession {
  /// Most certificates that are read of what a server sends.
  static let maximumCertificates = 32

  let session: OpaquePointer
  let state: UnsafeMutablePointer<SocketState>
  let offer: Evidence.Offer?
  /// True once libssl has refused something that the server sent.
  var hasObjected = false
  // Keeps alive what the session's callbacks use.
  private let contexts: TLSContexts

  init(
    over descriptor: Int32, contexts: TLSContexts, offer: Evidence.Offer?, serverName: String?
  ) throws(TLSClientError) {
    guard let session = SSL_new(try contexts.context(for: offer)) else {
      throw TLSClientError(.local, "libssl gave no session")
    }
    self.session = session
    self.contexts = contexts
    self.offer = offer
    state = .allocate(capacity: 1)
    state.initialize(to: SocketState(descriptor: descriptor))
    try contexts.transport.attach(state, to: session)
    SSL_set_cert_cb(session, noteCertificateRequest, state)
    SSL_set_connect_state(session)
    if let serverName, pintle_ssl_set_server_name(session, serverName) != 1 {
      throw TLSClientError(.local, "libssl refused the server name '\(serverName)'")
    }
  }

  deinit {
    SSL_free(session)
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// What a step of libssl came to.
  enum Step {
    /// So many bytes, or 1 for a handshake.
    case done(Int)
    /// The socket has to be waited for.
    case waiting
    /// The other side ended TLS in good order.
    case ended
  }

  /// Goes on with the handshake; true once it is complete.
  func shakeHands() throws(TLSClientError) -> Bool {
    switch try step({ SSL_do_handshake(session) }) {
    case .done: return true
    case .waiting: return false
    case .ended: throw failure()
    }
  }

  /// Reads what the server sends over TLS.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(TLSClientError) -> Step {
    try step { SSL_read(session, buffer.baseAddress, Int32(clamping: buffer.count)) }
  }

  /// Sends bytes over TLS; those that wait have to be given again.
  func write(_ bytes: [UInt8]) throws(TLSClientError) -> Step {
    try step { SSL_write(session, bytes, Int32(clamping: bytes.count)) }
  }

  private func step(_ body: () -> Int32) throws(TLSClientError) -> Step {
    ERR_clear_error()
    let status = body()
    if status > 0 { return .done(Int(status)) }
    switch SSL_get_error(session, status) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .waiting
    case SSL_ERROR_ZERO_RETURN: return .ended
    default: throw failure()
    }
  }
}

private func noteCertificateRequest(_ session: OpaquePointer?, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  argument?.assumingMemoryBound(to: SocketState.self).pointee.wantsCertificate = true
  return 1
}
