package import Glibc

/// Sockets of 127.0.0.1, which the caller closes.
package enum Loopback {
  /// A socket that is bound to a port, to any free one unless told otherwise, and that port.
  package static func bind(_ type: __socket_type, port: UInt16 = 0) throws -> (descriptor: Int32, port: UInt16) {
    let descriptor = try socket(type)
    var address = address(of: port)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        Glibc.bind(descriptor, generic, length) == 0 ? getsockname(descriptor, generic, &length) : -1
      }
    }
    guard status == 0 else {
      let failure = failure("bind")
      close(descriptor)
      throw failure
    }
    return (descriptor, UInt16(bigEndian: address.sin_port))
  }

  /// A socket that listens on a free port, and that port.
  package static func listen(backlog: Int32) throws -> (descriptor: Int32, port: UInt16) {
    let bound = try bind(SOCK_STREAM)
    guard Glibc.listen(bound.descriptor, backlog) == 0 else {
      let failure = failure("listen")
      close(bound.descriptor)
      throw failure
    }
    return bound
  }

  /// A connection to a port; nil where nobody listens there.
  package static func connect(to port: UInt16) -> Int32? {
    guard let descriptor = try? socket(SOCK_STREAM) else { return nil }
    let status = withUnsafePointer(to: address(of: port)) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if status == 0 { return descriptor }
    close(descriptor)
    return nil
  }

  private static func socket(_ type: __socket_type) throws -> Int32 {
    let descriptor = Glibc.socket(AF_INET, Int32(type.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw failure("socket") }
    return descriptor
  }

  private static func address(of port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    return address
  }

  private static func failure(_ call: String) -> RunError {
    RunError.notStarted(program: call, reason: String(cString: strerror(errno)))
  }
}
