import CLibSSL
import Glibc
import PinFormat

/// What a session's socket has seen; callbacks of libssl write it.
struct SocketState {
  /// How the reading or writing of a socket came to its end.
  enum End: Equatable {
    /// The other side closed it.
    case closed
    /// The kernel's error number.
    case failed(Int32)
    /// More was sent than is taken.
    case tooMuch
  }

  /// Most bytes that are read of one connection, whatever they are.
  static let maximumBytes = 1_024 * 1_024

  let descriptor: Int32
  var received = 0
  /// The first bytes that came, up to the length of a record's header.
  var opening: [UInt8] = []
  var end: End?
  /// Whether the server asked for a client certificate.
  var wantsCertificate = false
}

/// libssl's way to a socket, in place of its own: it counts and caps what is read, remembers how it ended, and writes
/// without raising SIGPIPE.
final class SocketTransport: @unchecked Sendable {
  // Safe to share: it doesn't change after init.
  private let method: OpaquePointer

  init() throws(TLSClientError) {
    guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "pintle socket") else {
      throw TLSClientError(.local, "libssl gave no transport")
    }
    BIO_meth_set_read(method, readSocket)
    BIO_meth_set_write(method, writeSocket)
    BIO_meth_set_ctrl(method, controlSocket)
    self.method = method
  }

  deinit {
    BIO_meth_free(method)
  }

  /// Lets a session read and write through the state's socket; the state must outlive the session.
  func attach(_ state: UnsafeMutablePointer<SocketState>, to session: OpaquePointer) throws(TLSClientError) {
    guard let bio = BIO_new(method) else { throw TLSClientError(.local, "libssl gave no transport") }
    BIO_set_data(bio, state)
    BIO_set_init(bio, 1)
    SSL_set_bio(session, bio, bio)
  }
}

/// What tells libssl to wait for the socket.
private let retryFlags = BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY

private func socketState(_ bio: OpaquePointer?) -> UnsafeMutablePointer<SocketState>? {
  BIO_get_data(bio)?.assumingMemoryBound(to: SocketState.self)
}

private func readSocket(_ bio: OpaquePointer?, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int32) -> Int32 {
  BIO_clear_flags(bio, retryFlags)
  guard let state = socketState(bio), let buffer, size > 0 else { return -1 }
  let room = SocketState.maximumBytes - state.pointee.received
  guard room > 0 else {
    state.pointee.end = .tooMuch
    return -1
  }
  while true {
    let count = recv(state.pointee.descriptor, buffer, min(Int(size), room), 0)
    if count > 0 {
      state.pointee.received += count
      let missing = 5 - state.pointee.opening.count
      if missing > 0 {
        for index in 0..<min(missing, count) { state.pointee.opening.append(UInt8(bitPattern: buffer[index])) }
      }
      return Int32(count)
    }
    if count == 0 {
      state.pointee.end = .closed
      return 0
    }
    if errno == EINTR { continue }
    if errno == EAGAIN {
      BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
    } else {
      state.pointee.end = .failed(errno)
    }
    return -1
  }
}

private func writeSocket(_ bio: OpaquePointer?, _ bytes: UnsafePointer<CChar>?, _ size: Int32) -> Int32 {
  BIO_clear_flags(bio, retryFlags)
  guard let state = socketState(bio), let bytes, size > 0 else { return -1 }
  while true {
    let count = send(state.pointee.descriptor, bytes, Int(size), SocketNumber.noSignal)
    if count >= 0 { return Int32(count) }
    if errno == EINTR { continue }
    if errno == EAGAIN {
      BIO_set_flags(bio, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
    } else {
      state.pointee.end = .failed(errno)
    }
    return -1
  }
}

private func controlSocket(
  _ bio: OpaquePointer?, _ command: Int32, _ number: Int, _ pointer: UnsafeMutableRawPointer?
) -> Int {
  switch command {
  case BIO_CTRL_FLUSH: 1
  case BIO_CTRL_EOF: socketState(bio)?.pointee.end == .closed ? 1 : 0
  default: 0
  }
}
