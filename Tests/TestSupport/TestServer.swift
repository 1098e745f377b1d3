import Foundation
import Glibc

/// A TLS server on loopback, `openssl s_server`, that lives as long as its owner.
package final class TestServer: Sendable {
  /// Where it listens, on 127.0.0.1.
  package let port: UInt16
  private let program: BackgroundProgram

  /// Starts a server and waits until it listens.
  ///
  /// The chain is PEM, the certificates that are sent after the leaf. Further arguments are `openssl s_server`'s own.
  package init(certificate: TestCertificate, chain: String? = nil, arguments: [String] = []) throws {
    port = try freePort()
    var command = [
      "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificate.path, "-key", certificate.keyPath,
      "-quiet", "-naccept", "1000",
    ]
    if let chain { command += ["-cert_chain", chain] }
    program = try BackgroundProgram(command + arguments)
    try program.waitUntilListening(on: port)
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
