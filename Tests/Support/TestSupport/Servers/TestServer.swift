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
