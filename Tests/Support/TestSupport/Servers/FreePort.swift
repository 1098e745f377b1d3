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
  guard let bound = try? Loopback.bind(SOCK_STREAM, port: port) else { return false }
  close(bound.descriptor)
  return true
}
