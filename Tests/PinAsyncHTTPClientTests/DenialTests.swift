#if AsyncHTTPClient
import AsyncHTTPClient
import NIOSSL
import PinAsyncHTTPClient
import PinFormat
import PinNIOSSL
import PinValidator
import Testing
import TransportSupport

/// A manifest that denies the authority above the leaf, which AsyncHTTPClient doesn't show.
@Suite struct DenialTests {
  /// The manifest comes while the service runs: neither the service nor a new client stops.
  @Test(arguments: HTTPKind.allCases)
  func goesOnAndCounts(_ kind: HTTPKind) async throws {
    let log = DecisionLog()
    let store = try TransportFixtures.store(telling: log)
    let options = PinnedAsyncHTTPClient.Options(endpoints: [.init(host: "leaf.test")])
    try await withServer(try await kind.server(counting: RequestCounter())) { server in
      try await withClient(store, options) { client in
        try await client.expectHello(from: "leaf.test", at: server)
        #expect(client.deniedKeysAboveLeaf == [])
        try store.update(try TransportFixtures.bytes("denial.json"))
        #expect(client.deniedKeysAboveLeaf == ["issuing", "leaked"])
        #expect(client.limits.isEmpty)
        try await client.expectHello(from: "leaf.test", at: server)
        #expect(server.connections == 1)
      }
      try await withClient(store, options) { client in
        #expect(client.deniedKeysAboveLeaf == ["issuing", "leaked"])
        try await client.expectHello(from: "leaf.test", at: server)
      }
    }
    #expect(log.all.map { $0.decision.verdict.context.events.contains(.denialsLeafOnly) } == [false, true])
  }

  /// What can be seen is enforced: by the intermediates that the client was given.
  @Test func blocksWithTheIntermediatesKnown() async throws {
    let store = try TransportFixtures.store()
    try store.update(try TransportFixtures.bytes("denial.json"))
    let options = PinnedAsyncHTTPClient.Options(
      endpoints: [.init(host: "leaf.test")], intermediates: try issuingAuthority())
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      try await withClient(store, options) { client in
        #expect(client.deniedKeysAboveLeaf == [])
        let error = await #expect(throws: PinnedTLSError.self) { try await client.get("leaf.test", at: server) }
        #expect(error?.decision?.verdict.reasonCode == "denied-key")
        #expect(server.bytesReceived == 0)
      }
    }
  }

  /// Intermediates that don't lead to the leaf are a reason to count, and none to stop.
  @Test func goesOnWhereThePathCannotBeBuilt() async throws {
    let log = DecisionLog()
    let store = try TransportFixtures.store(telling: log)
    try store.update(try TransportFixtures.bytes("denial.json"))
    let other = try NIOSSLCertificate.fromPEMFile(TransportFixtures.path("policy/keys/appended.pem"))
    let options = PinnedAsyncHTTPClient.Options(endpoints: [.init(host: "leaf.test")], intermediates: other)
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      try await withClient(store, options) { client in try await client.expectHello(from: "leaf.test", at: server) }
    }
    #expect(log.all.map { $0.decision.verdict.context.events } == [.denialsLeafOnly])
  }

  /// The leaf is compared with every denied key, wherever the policy says that it belongs.
  @Test func blocksADeniedLeaf() async throws {
    let store = try TransportFixtures.store()
    try store.update(try TransportFixtures.bytes("denial.json"))
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      try await withClient(store, .init(endpoints: [.init(host: "denied.test")])) { client in
        let error = await #expect(throws: PinnedTLSError.self) { try await client.get("denied.test", at: server) }
        #expect(error?.decision?.verdict.reasonCode == "denied-key")
      }
    }
  }
}
#endif
