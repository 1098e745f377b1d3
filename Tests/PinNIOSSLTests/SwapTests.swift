#if NIOSSL
import Dispatch
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import PinNIOSSL
import PinValidator
import Testing
import TransportSupport

/// From the moment at which a manifest takes effect nothing passes that it refuses, whatever the thread pool does.
@Suite(.timeLimit(.minutes(1))) struct SwapTests {
  @Test func `nothing is sent to a server that is refused, and its connection closes, while the pool is busy`()
    async throws
  {
    try await withHeldPool { held in
      let store = try TransportFixtures.store()
      let tls = try PinnedTLS(store: store, pool: held.pool)
      try await withServer(try await TransportServer.start()) { server in
        let client = try await TestClient.connect(tls, as: "allowed.test", to: server.port)
        #expect(try await client.echo("ping\n") == "ping\n")
        let idle = try await TestClient.connect(tls, as: "allowed.test", to: server.port)
        _ = try await idle.connection.verified.get()
        await held.hold()
        try store.update(try TransportFixtures.bytes("newer.json"))
        await #expect(throws: (any Error).self) {
          try await client.channel.writeAndFlush(ByteBuffer(string: "secret\n")).get()
        }
        for each in [client, idle] {
          try await each.channel.closeFuture.get()
          #expect(each.connection.error?.code == .noLongerHolds)
        }
        await server.drained()
        #expect(server.bytesReceived == 5)
        #expect(tls.openConnections == 0)
      }
    }
  }

  /// Both in one turn of the event loop, so that nothing else can have stopped it.
  @Test(arguments: [false, true])
  func `what is written or waits to be flushed is compared with the manifest`(_ isWrittenBefore: Bool) async throws {
    let store = try TransportFixtures.store()
    let tls = try PinnedTLS(store: store)
    let newer = try TransportFixtures.bytes("newer.json")
    try await withServer(try await TransportServer.start()) { server in
      let client = try await TestClient.connect(tls, as: "allowed.test", to: server.port)
      #expect(try await client.echo("ping\n") == "ping\n")
      let sent = client.channel.eventLoop.flatSubmit {
        let promise = client.channel.eventLoop.makePromise(of: Void.self)
        do {
          if !isWrittenBefore { try store.update(newer) }
          client.channel.write(ByteBuffer(string: "secret\n"), promise: promise)
          if isWrittenBefore { try store.update(newer) }
          client.channel.flush()
          #expect(client.connection.error?.code == .noLongerHolds)
        } catch {
          promise.fail(error)
        }
        return promise.futureResult
      }
      await #expect(throws: (any Error).self) { try await sent.get() }
      try await client.channel.closeFuture.get()
      await server.drained()
      #expect(server.bytesReceived == 5)
    }
  }

  @Test func `nothing that a refused client sends arrives, and its connection closes, while the pool is busy`()
    async throws
  {
    try await withHeldPool { held in
      let store = try TransportFixtures.store()
      let server = try await Self.server(store, pool: held.pool, TransportServer.echo)
      try await withServer(server) { server in
        let client = try await TestClient.connect(try Self.client(), as: "allowed.test", to: server.port)
        #expect(try await client.echo("ping\n") == "ping\n")
        await held.hold()
        try store.update(try TransportFixtures.bytes("newer.json"))
        try? await client.channel.writeAndFlush(ByteBuffer(string: "secret\n")).get()
        await server.drained()
        #expect(server.bytesReceived == 5)
        try await client.channel.closeFuture.get()
      }
    }
  }

  /// What two clients sent is read in one turn of the event loop; in between the manifest takes effect.
  @Test func `what a refused client sent before isn't read after a manifest took effect`() async throws {
    let store = try TransportFixtures.store()
    let newer = try TransportFixtures.bytes("newer.json")
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let read = NIOLockedValueBox(0)
    let server = try await Self.server(store, on: group) { channel in
      channel.eventLoop.makeCompletedFuture {
        let handler = TellingHandler {
          read.withLockedValue { $0 += 1 }
          _ = try? store.update(newer)
        }
        try channel.pipeline.syncOperations.addHandler(handler)
      }
    }
    try await withServer(server) { server in
      let tls = try Self.client()
      var clients: [TestClient] = []
      for _ in 0..<2 { clients.append(try await TestClient.connect(tls, as: "allowed.test", to: server.port)) }
      for client in clients { _ = try await client.connection.verified.get() }
      // The server has accepted both, and doesn't read before both have sent.
      while server.handshakes < 2 { try await Task.sleep(for: .milliseconds(1)) }
      let (blocked, proceed) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      group.next().execute {
        blocked.signal()
        proceed.wait()
      }
      await Task.detached { blocked.wait() }.value
      for client in clients { try await client.channel.writeAndFlush(ByteBuffer(string: "ping\n")).get() }
      proceed.signal()
      await server.drained()
      #expect(read.withLockedValue { $0 } == 1)
      #expect(server.bytesReceived == 5)
    }
    try await group.shutdownGracefully()
  }

  private static func server(
    _ store: PinStore, pool: NIOThreadPool = .singleton,
    on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    _ application: @escaping TransportServer.Application
  ) async throws -> TransportServer {
    let identity = try TransportFixtures.host("allowed.test")
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try TransportFixtures.chain(of: identity), privateKey: try TransportFixtures.key(of: identity))
    configuration.certificateVerification = .noHostnameVerification
    let tls = try PinnedTLSServer(
      store: store, configuration: configuration, clientsUnder: "clients.test", pool: pool)
    return try await TransportServer.start(on: group, application: application) { try tls.addHandlers(to: $0) }
  }

  /// A client that presents a certificate that the first manifest lets in.
  private static func client() throws -> PinnedTLS {
    let row = try #require(TransportFixtures.clients.first)
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateChain = try TransportFixtures.chain(of: row)
    configuration.privateKey = try TransportFixtures.key(of: row)
    return try PinnedTLS(store: try TransportFixtures.store(), configuration: configuration)
  }
}
#endif
