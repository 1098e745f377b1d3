#if NIOSSL
import NIOCore
import NIOEmbedded
import NIOSSL
import PinNIOSSL
import Testing
import TransportSupport

@Suite struct ConfigurationTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var change: @Sendable (inout TLSConfiguration) -> Void
  }

  static let unenforceable = [
    Row(testDescription: "no verification") { $0.certificateVerification = .none },
    Row(testDescription: "optional verification") { $0.certificateVerification = .optionalVerification },
    Row(testDescription: "old versions only") { $0.maximumTLSVersion = .tlsv11 },
    Row(testDescription: "renegotiation") { $0.renegotiationSupport = .once },
    Row(testDescription: "endless renegotiation") { $0.renegotiationSupport = .always },
    Row(testDescription: "pre-shared key of a client") {
      $0.pskClientProvider = { _ in PSKClientIdentityResponse(key: NIOSSLSecureBytes(), identity: "x") }
    },
    Row(testDescription: "pre-shared key of a server") {
      $0.pskServerProvider = { _ in PSKServerIdentityResponse(key: NIOSSLSecureBytes()) }
    },
  ]

  @Test(arguments: unenforceable)
  func `what would go around the decision is refused`(_ row: Row) throws {
    let store = try TransportFixtures.store()
    var client = TLSConfiguration.makeClientConfiguration()
    row.change(&client)
    let error = #expect(throws: PinnedTLSError.self) { try PinnedTLS(store: store, configuration: client) }
    #expect(error?.code == .configuration)

    let identity = try TransportFixtures.host("allowed.test")
    var server = TLSConfiguration.makeServerConfiguration(
      certificateChain: try TransportFixtures.chain(of: identity), privateKey: try TransportFixtures.key(of: identity))
    server.certificateVerification = .noHostnameVerification
    row.change(&server)
    let refusal = #expect(throws: PinnedTLSError.self) {
      try PinnedTLSServer(store: store, configuration: server, clientsUnder: "clients.test")
    }
    #expect(refusal?.code == .configuration)
  }

  @Test func `a server asks for client certificates or isn't made`() throws {
    let identity = try TransportFixtures.host("allowed.test")
    let configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try TransportFixtures.chain(of: identity), privateKey: try TransportFixtures.key(of: identity))
    #expect(throws: PinnedTLSError.self) {
      try PinnedTLSServer(
        store: try TransportFixtures.store(), configuration: configuration, clientsUnder: "clients.test")
    }
  }

  @Test func `the least version is TLS 1_2, and nobody is trusted but by the decision`() throws {
    let tls = try PinnedTLS(store: try TransportFixtures.store())
    #expect(tls.context.configuration.minimumTLSVersion == .tlsv12)
    #expect(tls.context.configuration.certificateVerification == .noHostnameVerification)
    #expect(tls.context.configuration.trustRoots == .certificates([]))
  }

  @Test(arguments: ["", "a\0b.test", String(repeating: "a", count: 256)])
  func `what can't be a server name is refused before connecting`(_ host: String) throws {
    let tls = try PinnedTLS(store: try TransportFixtures.store())
    let channel = EmbeddedChannel()
    let error = #expect(throws: PinnedTLSError.self) { try tls.addHandlers(to: channel, host: host, port: 443) }
    #expect(error?.code == .configuration)
    _ = try channel.finish()
  }

  @Test func `a channel that has closed gets no handlers`() throws {
    let tls = try PinnedTLS(store: try TransportFixtures.store())
    let channel = EmbeddedChannel()
    _ = try channel.finish()
    let error = #expect(throws: PinnedTLSError.self) {
      try tls.addHandlers(to: channel, host: "allowed.test", port: 443)
    }
    #expect(error?.code == .closed)
  }
}
#endif
