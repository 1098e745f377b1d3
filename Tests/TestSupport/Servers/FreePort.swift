import Glibc
import Synchronization

/// A TCP port of 127.0.0.1 on which nothing listens at the moment, and that nobody else in this process is given.
///
/// It lies below the ports that the system gives to outgoing connections, so that none of those takes it meanwhile.
package func freePort() throws -> UInt16 {
  for _ in 0..<1_000 {
    let port = UInt16.random(in: 20_000..<32_768)
    guard given.withLock({ $0.insert(port).inserted }) else { continue }
    if canListen(on: port) { return port }
  }
  throw RunError.notStarted(program: "bind", reason: "no port is free")
}

private let given = Mutex<Set<UInt16>>([])

private func canListen(on port: UInt16) -> Bool {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  guard descriptor >= 0 else { return false }
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  address.sin_port = port.bigEndian
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
