#if NIOSSL
import NIOCore
import NIOPosix
import NIOSSL
import PinFormat
import PinNIOSSL
import PinValidator
import Testing
import TransportSupport

@Suite(.timeLimit(.minutes(1))) struct HandshakeTests {
  @Test func `there are cases`() {
    #expect(TransportFixtures.hosts.count >= 12)
    #expect(TransportFixtures.clients.count >= 3)
  }

  @Test(arguments: TransportFixtures.hosts)
  func `each host is answered as the table says, and nothing is sent to those that are refused`(
    _ row: TransportCase
  ) async throws {
    let log = DecisionLog()
    let tls = try PinnedTLS(store: try TransportFixtures.store(telling: log))
    try await withServer(try await TransportServer.start()) { server in
      let client = try await TestClient.connect(tls, as: row.host, to: server.port)
      if row.isAllowed {
        #expect(try await client.echo("ping\n") == "ping\n")
        let decision = try await client.connection.verified.get()
        #expect(row.difference(from: decision) == nil)
        let chain = try await client.channel.nioSSL_peerValidatedCertificateChain().get()
        #expect(try chain?.map { try $0.toDERBytes() } == decision.chain?.certificates)
        #expect(tls.openConnections == 1)
        try await client.channel.close()
        try await client.channel.closeFuture.get()
        #expect(tls.openConnections == 0)
      } else {
        await #expect(throws: (any Error).self) { try await client.echo("ping\n") }
        let refusal = try #require(await client.refusal())
        #expect(refusal.code == .blocked)
        #expect(row.difference(from: try #require(refusal.decision)) == nil)
        try await client.channel.closeFuture.get()
        await server.drained()
        #expect(server.bytesReceived == 0)
        #expect(server.handshakes == 0)
      }
      #expect(log.all.count == 1)
      #expect(log.all.allSatisfy { row.difference(from: $0.decision) == nil && $0.handshake.tlsVersion == .tls13 })
    }
  }

  @Test(arguments: ["allowed.test", "blocked.test"], [NIOSSL.TLSVersion.tlsv12, .tlsv13])
  func `the negotiated version is reported`(_ host: String, _ version: NIOSSL.TLSVersion) async throws {
    let log = DecisionLog()
    let tls = try PinnedTLS(store: try TransportFixtures.store(telling: log))
    let server = try await TransportServer.start(configure: { $0.maximumTLSVersion = version })
    try await withServer(server) { server in
      let client = try await TestClient.connect(tls, as: host, to: server.port)
      #expect(await client.refusal()?.code == (host == "allowed.test" ? nil : .blocked))
      #expect(log.all.map(\.handshake.tlsVersion) == [version == .tlsv12 ? .tls12 : .tls13])
      try? await client.channel.close()
      await server.drained()
      #expect(server.bytesReceived == 0)
    }
  }

  /// Somebody else's handler with our context, and without our callback: no certificate is trusted.
  @Test(arguments: TransportFixtures.hosts)
  func `the context alone connects to nobody`(_ row: TransportCase) async throws {
    let tls = try PinnedTLS(store: try TransportFixtures.store())
    try await withServer(try await TransportServer.start()) { server in
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let name = row.host == "127.0.0.1" ? nil : row.host
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(context: tls.context, serverHostname: name))
          }
        }
        .connect(host: "127.0.0.1", port: Int(server.port)).get()
      await #expect(throws: (any Error).self) { try await channel.writeAndFlush(ByteBuffer(string: "ping\n")) }
      try? await channel.close()
      await server.drained()
      #expect(server.bytesReceived == 0)
    }
  }

  @Test func `the handler that waits for the decision can't be removed`() throws {
    #expect(!((PinGuardHandler.self as Any) is any RemovableChannelHandler.Type))
  }

  @Test(arguments: TransportFixtures.hosts)
  func `the callback alone answers the same`(_ row: TransportCase) async throws {
    let tls = try PinnedTLS(store: try TransportFixtures.store())
    try await withServer(try await TransportServer.start()) { server in
      let callback = tls.verificationCallback(host: row.host, port: server.port)
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let name = row.host == "127.0.0.1" ? nil : row.host
            try channel.pipeline.syncOperations.addHandler(
              NIOSSLClientHandler(
                context: tls.context, serverHostname: name, customVerificationCallbackWithMetadata: callback))
          }
        }
        .connect(host: "127.0.0.1", port: Int(server.port)).get()
      var error: (any Error)?
      do { try await channel.writeAndFlush(ByteBuffer(string: "ping\n")) } catch let caught { error = caught }
      #expect((error == nil) == row.isAllowed)
      try? await channel.close()
      await server.drained()
      #expect(server.bytesReceived == (row.isAllowed ? 5 : 0))
    }
  }

  /// BoringSSL's servers give out tickets, with which NIOSSL's clients never come.
  @Test(arguments: [NIOSSL.TLSVersion.tlsv12, .tlsv13])
  func `every handshake is decided on`(_ version: NIOSSL.TLSVersion) async throws {
    let log = DecisionLog()
    let tls = try PinnedTLS(store: try TransportFixtures.store(telling: log))
    let server = try await TransportServer.start(configure: { $0.maximumTLSVersion = version })
    try await withServer(server) { server in
      for _ in 0..<3 {
        let client = try await TestClient.connect(tls, as: "allowed.test", to: server.port)
        #expect(try await client.echo("ping\n") == "ping\n")
        try await client.channel.close()
      }
      #expect(log.all.count == 3)
    }
  }

  @Test func `without a manifest the store's word holds`() async throws {
    let blocking = try PinnedTLS(store: try TransportFixtures.store { $0.embedded = nil })
    let open = try PinnedTLS(
      store: try TransportFixtures.store {
        $0.embedded = nil
        $0.withoutManifest = .notPinned
      })
    try await withServer(try await TransportServer.start()) { server in
      let blocked = try await TestClient.connect(blocking, as: "allowed.test", to: server.port)
      #expect(await blocked.refusal()?.message == "block: no manifest is in force (no entry)")
      let allowed = try await TestClient.connect(open, as: "allowed.test", to: server.port)
      #expect(try await allowed.echo("ping\n") == "ping\n")
      try await allowed.channel.close()
      let untrusted = try await TestClient.connect(open, as: "untrusted.test", to: server.port)
      #expect(await untrusted.refusal()?.message.contains("trust evaluation failed") == true)
    }
  }
}
#endif
