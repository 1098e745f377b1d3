import Foundation
import Glibc

/// A TLS server on loopback, `openssl s_server`, that lives as long as its owner.
package final class TestServer: Sendable {
  /// Where it listens.
  package let port: UInt16
  private let program: BackgroundProgram

  /// Starts a server and waits until it listens.
  ///
  /// - Parameters:
  ///   - certificate: What it shows.
  ///   - chain: The PEM file of what it sends after that.
  ///   - address: An IPv4 address of loopback.
  ///   - port: One that is free there; any unless given.
  ///   - arguments: Further arguments of `openssl s_server`.
  /// - Throws: ``RunError`` where it doesn't start.
  package init(
    certificate: TestCertificate, chain: String? = nil, on address: String = "127.0.0.1", port: UInt16? = nil,
    arguments: [String] = []
  ) throws {
    self.port = try port ?? freePort()
    var command = ["openssl", "s_server", "-accept", "\(address):\(self.port)", "-quiet", "-naccept", "1000"]
    command += ["-cert", certificate.path, "-key", certificate.keyPath]
    if let chain { command += ["-cert_chain", chain] }
    program = try BackgroundProgram(command + arguments)
    try program.waitUntilListening(on: self.port, of: address)
  }
}

/// A TCP listener on loopback that accepts and then says nothing, or what it is told to.
package final class MuteServer: Sendable {
  package let port: UInt16
  private let descriptor: Int32

  package init() throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        bind(descriptor, generic, length) == 0 && listen(descriptor, 8) == 0
          ? getsockname(descriptor, generic, &length) : -1
      }
    }
    guard status == 0 else { throw RunError.notStarted(program: "bind", reason: String(cString: strerror(errno))) }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit {
    close(descriptor)
  }

  /// Waits until somebody has connected; false where nobody does in time.
  package func waitForConnection() -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 20_000) == 1
  }

  /// Accepts one connection in the background, writes the bytes and hangs up.
  package func answerOnce(with bytes: [UInt8]) {
    let descriptor = descriptor
    Thread.detachNewThread {
      let connection = accept(descriptor, nil, nil)
      guard connection >= 0 else { return }
      _ = bytes.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      close(connection)
    }
  }
}
