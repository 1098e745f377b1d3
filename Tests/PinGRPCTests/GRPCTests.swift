#if GRPC
import GRPCCore
import GRPCNIOTransportHTTP2
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import PinFormat
import PinGRPC
import PinNIOSSL
import PinValidator
import Testing
import TransportSupport

@Suite(.timeLimit(.minutes(1))) struct GRPCTests {
  /// What a server has seen, with its port.
  struct Listening: Sendable {
    var port: Int
    var counters: ServerCounters
    /// How many calls the service has begun to handle.
    let calls: NIOLockedValueBox<Int>
  }

  private static func identity(
    _ row: TransportCase
  ) -> (chain: [TLSConfig.CertificateSource], key: TLSConfig.PrivateKeySource) {
    (
      [.file(path: TransportFixtures.path(row.chain), format: .pem)],
      .file(path: TransportFixtures.path(row.key), format: .pem)
    )
  }

  private static func counting(_ counters: ServerCounters) -> HTTP2ServerTransport.Posix.Config {
    .defaults { config in
      config.channelDebuggingCallbacks.onAcceptTCPConnection = { channel in
        counters.noteConnection(channel)
        return channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          let tls = try pipeline.handler(type: NIOSSLServerHandler.self)
          try pipeline.addHandler(CountingHandler(counters), position: .after(tls))
        }
      }
    }
  }

  static func serve(
    _ transport: HTTP2ServerTransport.Posix, _ counters: ServerCounters,
    _ body: @escaping @Sendable (Listening) async throws -> Void
  ) async throws {
    let calls = NIOLockedValueBox(0)
    let service = EchoService { calls.withLockedValue { $0 += 1 } }
    try await withGRPCServer(transport: transport, services: [service]) { server in
      let address = try await server.listeningAddress
      try await body(Listening(port: try #require(address?.ipv4?.port), counters: counters, calls: calls))
    }
  }

  /// A server that presents the chain of a row.
  static func serve(
    _ row: TransportCase, _ body: @escaping @Sendable (Listening) async throws -> Void
  ) async throws {
    let counters = ServerCounters()
    let identity = identity(row)
    let transport = HTTP2ServerTransport.Posix(
      address: .ipv4(host: "127.0.0.1", port: 0),
      transportSecurity: .tls(certificateChain: identity.chain, privateKey: identity.key), config: counting(counters))
    try await serve(transport, counters, body)
  }

  static func configuration() -> TLSConfiguration {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.applicationProtocols = ["h2"]
    return configuration
  }

  @Test(arguments: TransportFixtures.hosts)
  func `each host is answered as the table says, and no call reaches those that are refused`(
    _ row: TransportCase
  ) async throws {
    let log = DecisionLog()
    let tls = try PinnedTLS(store: try TransportFixtures.store(telling: log), configuration: Self.configuration())
    try await Self.serve(row) { server in
      let refusals = NIOLockedValueBox<[PinnedTLSError]>([])
      let transport = try tls.grpcTransport(
        target: .ipv4(address: "127.0.0.1", port: server.port), host: row.host, port: UInt16(server.port),
        onRefusal: { error in refusals.withLockedValue { $0.append(error) } })
      try await withGRPCClient(transport: transport) { client in
        if row.isAllowed {
          #expect(try await EchoService.say("hello", on: client) == "hello")
          #expect(refusals.withLockedValue { $0.isEmpty })
          #expect(server.counters.bytesReceived > 0)
        } else {
          let error = await #expect(throws: RPCError.self) { try await EchoService.say("hello", on: client) }
          #expect(error?.code == .unavailable)
          let refusal = try #require(refusals.withLockedValue { $0.first })
          #expect(refusal.code == .blocked)
          #expect(row.difference(from: try #require(refusal.decision)) == nil)
          #expect(server.counters.bytesReceived == 0)
        }
      }
      #expect(!log.all.isEmpty)
      #expect(log.all.allSatisfy { row.difference(from: $0.decision) == nil && $0.handshake.tlsVersion == .tls13 })
    }
  }

  @Test func `a manifest that takes effect drops the connection, and calls fail from then on`() async throws {
    let store = try TransportFixtures.store()
    let tls = try PinnedTLS(store: store, configuration: Self.configuration())
    try await Self.serve(try TransportFixtures.host("allowed.test")) { server in
      let refusals = NIOLockedValueBox<[PinnedTLSError.Code]>([])
      let transport = try tls.grpcTransport(
        target: .ipv4(address: "127.0.0.1", port: server.port), host: "allowed.test", port: UInt16(server.port),
        onRefusal: { error in refusals.withLockedValue { $0.append(error.code) } })
      try await withGRPCClient(transport: transport) { client in
        #expect(try await EchoService.say("hello", on: client) == "hello")
        try store.update(try TransportFixtures.bytes("newer.json"))
        while refusals.withLockedValue({ $0.isEmpty }) { await Task.yield() }
        // A call may still be given the closing connection; a later one has to open another.
        while refusals.withLockedValue({ !$0.contains(.blocked) }) {
          await #expect(throws: RPCError.self) { try await EchoService.say("hello", on: client) }
        }
        #expect(refusals.withLockedValue { $0.first } == .noLongerHolds)
      }
    }
  }

  @Test(arguments: TransportFixtures.clients)
  func `a server judges its clients`(_ row: TransportCase) async throws {
    let log = DecisionLog()
    let store = try TransportFixtures.store(telling: log)
    let counters = ServerCounters()
    let transport = try Self.pinned(store, counters)
    let tls = try Self.client(presenting: row)
    try await Self.serve(transport, counters) { server in
      let transport = try tls.grpcTransport(
        target: .ipv4(address: "127.0.0.1", port: server.port), host: "unpinned.test", port: UInt16(server.port))
      try await withGRPCClient(transport: transport) { client in
        if row.isAllowed {
          let answer = try await EchoService.say("hello", on: client)
          #expect(answer == "hello")
        } else {
          await #expect(throws: RPCError.self) { try await EchoService.say("hello", on: client) }
          #expect(server.counters.bytesReceived == 0)
        }
      }
      #expect(!log.all.isEmpty)
      #expect(log.all.allSatisfy { row.difference(from: $0.decision) == nil })
    }
  }

  /// A server that pins its clients, and presents unpinned.test.
  static func pinned(
    _ store: PinStore, _ counters: ServerCounters, pool: NIOThreadPool = .singleton
  ) throws -> HTTP2ServerTransport.Posix {
    let host = try TransportFixtures.host("unpinned.test")
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try TransportFixtures.chain(of: host), privateKey: try TransportFixtures.key(of: host))
    configuration.certificateVerification = .noHostnameVerification
    configuration.applicationProtocols = ["h2"]
    let tls = try PinnedTLSServer(store: store, configuration: configuration, clientsUnder: "clients.test", pool: pool)
    let identity = identity(host)
    return try tls.grpcTransport(
      address: .ipv4(host: "127.0.0.1", port: 0), certificateChain: identity.chain, privateKey: identity.key,
      config: countingBehindTLS(counters))
  }

  static func client(presenting row: TransportCase) throws -> PinnedTLS {
    var configuration = configuration()
    configuration.certificateChain = try TransportFixtures.chain(of: row)
    configuration.privateKey = try TransportFixtures.key(of: row)
    return try PinnedTLS(store: try TransportFixtures.store(), configuration: configuration)
  }

  /// Behind the guard, so that what it holds back isn't counted.
  private static func countingBehindTLS(_ counters: ServerCounters) -> HTTP2ServerTransport.Posix.Config {
    .defaults { config in
      config.channelDebuggingCallbacks.onAcceptTCPConnection = { channel in
        counters.noteConnection(channel)
        return channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          let first = try pipeline.context(handlerType: PinGuardHandler.self).handler
          try pipeline.addHandler(CountingHandler(counters), position: .after(first))
        }
      }
    }
  }

  @Test func `without h2 no transport is made`() throws {
    let tls = try PinnedTLS(store: try TransportFixtures.store())
    #expect(throws: PinnedGRPCError.noHTTP2) {
      try tls.grpcTransport(target: .ipv4(address: "127.0.0.1", port: 1), host: "allowed.test", port: 1)
    }
  }
}
#endif
