import Glibc
import PinFormat

/// An IP address and a port, as the kernel takes them.
struct SocketAddress {
  private var storage = sockaddr_storage()
  private let length: socklen_t

  init(_ address: IPAddress, port: UInt16) {
    if address.octets.count == 4 {
      length = socklen_t(MemoryLayout<sockaddr_in>.size)
      withUnsafeMutableBytes(of: &storage) { bytes in
        bytes.withMemoryRebound(to: sockaddr_in.self) { list in
          list[0].sin_family = sa_family_t(AF_INET)
          list[0].sin_port = port.bigEndian
          withUnsafeMutableBytes(of: &list[0].sin_addr) { $0.copyBytes(from: address.octets) }
        }
      }
    } else {
      length = socklen_t(MemoryLayout<sockaddr_in6>.size)
      withUnsafeMutableBytes(of: &storage) { bytes in
        bytes.withMemoryRebound(to: sockaddr_in6.self) { list in
          list[0].sin6_family = sa_family_t(AF_INET6)
          list[0].sin6_port = port.bigEndian
          withUnsafeMutableBytes(of: &list[0].sin6_addr) { $0.copyBytes(from: address.octets) }
        }
      }
    }
  }

  /// Makes a non-blocking socket for it, with small writes sent at once.
  func makeSocket() throws(TLSClientError) -> Int32 {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(Int32(storage.ss_family), type, SocketNumber.tcp)
    guard descriptor >= 0 else { throw SocketError.connecting(errno) }
    var yes: Int32 = 1
    setsockopt(descriptor, SocketNumber.tcp, TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }

  /// Begins to connect; true where the connection is established at once.
  func connect(_ descriptor: Int32) throws(TLSClientError) -> Bool {
    let status = withUnsafeBytes(of: storage) { bytes in
      bytes.withMemoryRebound(to: sockaddr.self) { Glibc.connect(descriptor, $0.baseAddress, length) }
    }
    if status == 0 { return true }
    guard errno == EINPROGRESS || errno == EINTR else { throw SocketError.connecting(errno) }
    return false
  }

  /// What became of a connection that was begun: 0, or the number of its error.
  static func outcome(of descriptor: Int32) -> Int32 {
    var number: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length) == 0 ? number : errno
  }
}

/// Numbers of the calls on sockets, the same on all of Linux's architectures.
///
/// The C library has their names in enumerations without one, in headers that several C libraries include: Swift finds
/// them or doesn't, depending on which of those it reads first.
enum SocketNumber {
  /// `MSG_NOSIGNAL`, send(2): no SIGPIPE where the other side has gone.
  static let noSignal: Int32 = 0x4000
  /// `IPPROTO_TCP`, tcp(7).
  static let tcp: Int32 = 6
}

/// The kernel's error numbers in the terms of ``TLSClientError``.
enum SocketError {
  /// What a number means while connecting.
  static func connecting(_ number: Int32) -> TLSClientError {
    switch number {
    case ECONNREFUSED: TLSClientError(.refused, "the connection was refused")
    case ETIMEDOUT: TLSClientError(.timedOut, "no answer while connecting")
    case ECONNRESET, EPIPE: TLSClientError(.closed, "the connection was reset as soon as it was established")
    case EMFILE, ENFILE, ENOMEM, ENOBUFS, EAGAIN:
      TLSClientError(.local, "this machine can't connect: \(text(number))")
    default: TLSClientError(.unreachable, "no route to the address: \(text(number))")
    }
  }

  static func text(_ number: Int32) -> String { String(cString: strerror(number)) }
}
