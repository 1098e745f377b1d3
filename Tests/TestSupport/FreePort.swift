import Glibc

/// A TCP port of 127.0.0.1 on which nothing listens at the moment.
package func freePort() throws -> UInt16 {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { throw RunError.notStarted(program: "socket", reason: String(cString: strerror(errno))) }
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let status = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
      bind(descriptor, generic, length) == 0 ? getsockname(descriptor, generic, &length) : -1
    }
  }
  guard status == 0 else { throw RunError.notStarted(program: "bind", reason: String(cString: strerror(errno))) }
  return UInt16(bigEndian: address.sin_port)
}
