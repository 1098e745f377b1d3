#if NIOSSL
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import PinNIOSSL
import PinValidator
import Testing
import TransportSupport

@Suite(.timeLimit(.minutes(1))) struct LifetimeTests {
  @Test func `a manifest that takes effect drops the connections that it refuses, and no others`() async throws {
    let store = try TransportFixtures.store()
    let tls = try PinnedTLS(store: store)
    try await withServer(try await TransportServer.start()) { server in
      let dropped = try await TestClient.connect(tls, as: "allowed.test", to: server.port)
      #expect(try await dropped.echo("ping\n") == "ping\n")
      let kept = try await TestClient.connect(tls, as: "off.test", to: server.port)
      _ = try await kept.connection.verified.get()
      #expect(tls.openConnections == 2)
      try store.update(try TransportFixtures.bytes("newer.json"))
      try await dropped.channel.closeFuture.get()
      #expect(dropped.connection.error?.code == .noLongerHolds)
      #expect(dropped.connection.error?.message.contains("serial 2 took effect: block") == true)
      #expect(kept.connection.error == nil)
      #expect(try await kept.echo("ping\n") == "ping\n")
      let again = try await TestClient.connect(tls, as: "allowed.test", to: server.port)
      #expect(await again.refusal()?.code == .blocked)
      try await kept.channel.close()
    }
  }

  @Test func `a connection is dropped whatever the handlers in front of it do with errors`() async throws {
    let store = try TransportFixtures.store()
    let tls = try PinnedTLS(store: store)
    try await withServer(try await TransportServer.start()) { server in
      let client = try await TestClient.connect(tls, as: "allowed.test", to: server.port) { connection in
        try connection.channel.pipeline.syncOperations.addHandler(SwallowingHandler(), position: .first)
      }
      #expect(try await client.echo("ping\n") == "ping\n")
      try store.update(try TransportFixtures.bytes("newer.json"))
      try await client.channel.closeFuture.get()
      #expect(client.connection.error?.code == .noLongerHolds)
    }
  }

  @Test func `what was written before the decision goes first`() async throws {
    let tls = try PinnedTLS(store: try TransportFixtures.store())
    try await withServer(try await TransportServer.start()) { server in
      let client = try await TestClient.connect(tls, as: "allowed.test", to: server.port) { connection in
        let channel = connection.channel
        channel.writeAndFlush(ByteBuffer(string: "first, "), promise: nil)
        connection.verified.whenSuccess { _ in channel.writeAndFlush(ByteBuffer(string: "second\n"), promise: nil) }
      }
      #expect(try await client.received.get() == "first, second\n")
      try await client.channel.close()
    }
  }

  /// The manifest takes effect between the decision and the end of the handshake.
  @Test func `no connection slips through while a manifest takes effect`() async throws {
    let newer = try TransportFixtures.bytes("newer.json")
    let updating = NIOLockedValueBox<PinStore?>(nil)
    let store = try TransportFixtures.store { settings in
      settings.observers.append { _, _, _ in
        let store = updating.withLockedValue { store in
          defer { store = nil }
          return store
        }
        _ = try? store?.update(newer)
      }
    }
    updating.withLockedValue { $0 = store }
    let tls = try PinnedTLS(store: store)
    try await withServer(try await TransportServer.start()) { server in
      let client = try await TestClient.connect(tls, as: "allowed.test", to: server.port)
      try await client.channel.closeFuture.get()
      #expect(client.connection.decision?.manifest?.serial == 1)
      #expect(client.connection.error?.code == .noLongerHolds)
      #expect(server.bytesReceived == 0)
      #expect(tls.openConnections == 0)
    }
  }

  @Test func `a decision holds for one host, and another is asked about`() async throws {
    let log = DecisionLog()
    let store = try TransportFixtures.store(telling: log)
    let tls = try PinnedTLS(store: store)
    try await withServer(try await TransportServer.start()) { server in
      let client = try await TestClient.connect(tls, as: "off.test", to: server.port)
      _ = try await client.connection.verified.get()
      for host in ["allowed.test", "unpinned.test", "blocked.test"] {
        let error = await #expect(throws: PinnedTLSError.self) {
          try await client.connection.recheck(host: host, port: 443).get()
        }
        #expect(error?.code == .blocked)
      }
      let decision = try await client.connection.recheck(host: "OFF.test", port: 8443).get()
      #expect(decision.disposition == .useCredential)
      #expect(log.all.last?.handshake.port == 8443)
      #expect(try await client.echo("ping\n") == "ping\n")
      try await client.channel.close()
    }
  }

  /// The evaluation ends only when the loop has ticked a hundred times: on a loop that is blocked it never would.
  @Test func `the event loop goes on while a chain is evaluated`() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    let evaluating = NIOLockedValueBox(false)
    let enough = DispatchSemaphore(value: 0)
    let ticks = NIOLockedValueBox(0)
    let store = try TransportFixtures.store { settings in
      settings.observers.append { _, _, _ in
        evaluating.withLockedValue { $0 = true }
        enough.wait()
      }
    }
    let tick = loop.scheduleRepeatedTask(initialDelay: .zero, delay: .microseconds(100)) { task in
      guard evaluating.withLockedValue({ $0 }) else { return }
      let count = ticks.withLockedValue { count in
        count += 1
        return count
      }
      if count == 100 {
        task.cancel()
        enough.signal()
      }
    }
    let tls = try PinnedTLS(store: store)
    try await withServer(try await TransportServer.start()) { server in
      let client = try await TestClient.connect(tls, as: "allowed.test", to: server.port, on: loop)
      #expect(try await client.echo("ping\n") == "ping\n")
      try await client.channel.close()
    }
    tick.cancel()
    #expect(ticks.withLockedValue { $0 } == 100)
    try await group.shutdownGracefully()
  }

  @Test func `a hundred connections at once are decided on, and dropped at once`() async throws {
    let log = DecisionLog()
    let store = try TransportFixtures.store(telling: log)
    // A busy machine of two processors can take more than the ten seconds that a handshake has otherwise.
    let tls = try PinnedTLS(store: store, handshakeTimeout: .minutes(2))
    try await withServer(try await TransportServer.start()) { server in
      let clients = try await withThrowingTaskGroup(of: TestClient.self) { tasks in
        for _ in 0..<100 {
          tasks.addTask {
            let client = try await TestClient.connect(tls, as: "allowed.test", to: server.port)
            #expect(try await client.echo("ping\n") == "ping\n")
            return client
          }
        }
        return try await tasks.reduce(into: []) { $0.append($1) }
      }
      #expect(tls.openConnections == 100)
      #expect(log.all.count == 100)
      try store.update(try TransportFixtures.bytes("newer.json"))
      for client in clients { try await client.channel.closeFuture.get() }
      #expect(tls.openConnections == 0)
      #expect(clients.allSatisfy { $0.connection.error?.code == .noLongerHolds })
    }
  }

  @Test(arguments: ["allowed.test", "blocked.test"])
  func `what is sent and ended before the decision is sent after it, or not at all`(_ host: String) async throws {
    let tls = try PinnedTLS(store: try TransportFixtures.store())
    try await withServer(try await TransportServer.start()) { server in
      let client = try await TestClient.connect(tls, as: host, to: server.port)
      // Both are queued before the server's certificate arrives.
      let sent = client.channel.eventLoop.flatSubmit {
        let written = client.channel.writeAndFlush(ByteBuffer(string: "ping\n"))
        client.channel.close(mode: .output, promise: nil)
        return written
      }
      if host == "allowed.test" {
        try await sent.get()
        #expect(try await client.received.get() == "ping\n")
      } else {
        await #expect(throws: (any Error).self) { try await sent.get() }
        await server.drained()
        #expect(server.bytesReceived == 0)
      }
      try? await client.channel.close()
    }
  }

  @Test func `a server that says nothing is given up`() async throws {
    let tls = try PinnedTLS(store: try TransportFixtures.store(), handshakeTimeout: .milliseconds(50))
    let silent = try await TransportServer.start(
      application: { $0.eventLoop.makeSucceededVoidFuture() }, tls: { _ in })
    try await withServer(silent) { server in
      let client = try await TestClient.connect(tls, as: "allowed.test", to: server.port)
      #expect(await client.refusal()?.code == .timedOut)
      try await client.channel.closeFuture.get()
    }
  }

  @Test func `a server that doesn't speak TLS is a failed handshake`() async throws {
    let tls = try PinnedTLS(store: try TransportFixtures.store())
    try await withServer(try await TransportServer.start(application: TransportServer.echo, tls: { _ in })) { server in
      let client = try await TestClient.connect(tls, as: "allowed.test", to: server.port)
      let error = await client.refusal()
      #expect(error?.code == .handshakeFailed)
      #expect(error?.cause != nil)
    }
  }

  @Test func `closing while a chain is evaluated ends it, and leaves nothing behind`() async throws {
    let evaluating = NIOLockedValueBox<CheckedContinuation<Void, Never>?>(nil)
    let proceed = DispatchSemaphore(value: 0)
    let store = try TransportFixtures.store { settings in
      settings.observers.append { _, _, _ in
        evaluating.withLockedValue { $0?.resume() }
        proceed.wait()
      }
    }
    let tls = try PinnedTLS(store: store)
    weak var left: PinnedConnection?
    try await withServer(try await TransportServer.start()) { server in
      do {
        let client = try await withThrowingTaskGroup(of: TestClient.self) { tasks in
          var connected: TestClient?
          await withCheckedContinuation { continuation in
            evaluating.withLockedValue { $0 = continuation }
            tasks.addTask { try await TestClient.connect(tls, as: "allowed.test", to: server.port) }
          }
          for try await client in tasks { connected = client }
          return try #require(connected)
        }
        left = client.connection
        try await client.channel.close()
        #expect(await client.refusal()?.code == .closed)
      }
      proceed.signal()
      await server.drained()
      #expect(server.bytesReceived == 0)
      #expect(tls.openConnections == 0)
    }
    // The pool's remaining work for it is done by now, or soon.
    while left != nil { await Task.yield() }
  }
}

/// Tells nobody of errors.
private final class SwallowingHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}
#endif
