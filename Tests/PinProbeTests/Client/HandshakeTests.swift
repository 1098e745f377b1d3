import Foundation
import PinFormat
import PinProbe
import TestSupport
import Testing

/// One handshake with real servers, and with some that don't speak TLS.
struct HandshakeTests {
  private static func chainFile(_ pki: TestPKI.Standard) throws -> String { try pki.pki.bundle([pki.intermediate]) }

  private static func perform(
    _ port: UInt16, serverName: String? = "example.com", within limit: Duration = .seconds(10)
  ) throws(TLSClientError) -> Exchange {
    try Handshake.perform(
      with: Endpoint(host: "127.0.0.1", port: port), serverName: serverName, by: Deadline(after: limit))
  }

  @Test(arguments: [("-tls1_2", TLSVersion.tls12), ("-tls1_3", .tls13)])
  func theServedChainComesAsItWasSent(option: String, version: TLSVersion) throws {
    let pki = try TestPKI.standard()
    let server = try TestServer(
      certificate: pki.leaf, chain: try Self.chainFile(pki), arguments: [option])
    let handshake = try Self.perform(server.port)
    #expect(handshake.servedChain == [pki.leaf.der, pki.intermediate.der])
    #expect(handshake.tlsVersion == version)
  }

  @Test func theServerNameDecidesTheCertificate() throws {
    let pki = try TestPKI.standard()
    let other = try pki.pki.issue(.leaf("other.test", names: ["DNS:other.test"]), by: pki.intermediate)
    let server = try TestServer(
      certificate: pki.leaf,
      arguments: ["-servername", "other.test", "-cert2", other.path, "-key2", other.keyPath])
    #expect(try Self.perform(server.port, serverName: "other.test").servedChain.first == other.der)
    #expect(try Self.perform(server.port, serverName: "example.com").servedChain.first == pki.leaf.der)
    #expect(try Self.perform(server.port, serverName: nil).servedChain.first == pki.leaf.der)
  }

  @Test func anIPv6AddressIsAnAddress() throws {
    let pki = try TestPKI.standard()
    let port = try freePort()
    let server = try BackgroundProgram([
      "openssl", "s_server", "-accept", "[::1]:\(port)", "-cert", pki.leaf.path, "-key", pki.leaf.keyPath, "-quiet",
    ])
    var exchange: Exchange?
    try server.wait {
      exchange = try? Handshake.perform(
        with: Endpoint(host: "::1", port: port), serverName: nil, by: Deadline(after: .seconds(5)))
      return exchange != nil
    }
    #expect(exchange?.servedChain == [pki.leaf.der])
  }

  @Test func aRefusedConnectionIsSaidToBeOne() throws {
    let port = try freePort()
    let error = #expect(throws: TLSClientError.self) { try Self.perform(port) }
    #expect(error?.code == .refused)
    #expect(error?.message == "127.0.0.1:\(port): the connection was refused")
  }

  @Test func anUnknownNameIsSaidToBeOne() {
    // A label of 64 octets is invalid in DNS, so no resolver is asked.
    let name = String(repeating: "a", count: 64) + ".invalid"
    let error = #expect(throws: TLSClientError.self) {
      try Handshake.perform(
        with: Endpoint(host: name, port: 443), serverName: nil, by: Deadline(after: .seconds(10)))
    }
    #expect(error?.code == .nameNotResolved)
  }

  @Test func aMuteServerRunsIntoTheDeadline() throws {
    let server = try MuteServer()
    let error = #expect(throws: TLSClientError.self) { try Self.perform(server.port, within: .milliseconds(200)) }
    #expect(error?.code == .timedOut)
  }
}
