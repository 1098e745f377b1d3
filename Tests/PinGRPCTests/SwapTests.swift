#if GRPC
import GRPCCore
import GRPCNIOTransportHTTP2
import NIOConcurrencyHelpers
import PinGRPC
import PinNIOSSL
import PinValidator
import Testing
import TransportSupport

/// From the moment at which a manifest takes effect no call goes over a connection that it refuses, whatever the thread
/// pool does.
@Suite(.timeLimit(.minutes(1))) struct SwapTests {
  @Test func `no call goes to a server that is refused, while the pool is busy`() async throws {
    try await withHeldPool { held in
      let store = try TransportFixtures.store()
      let tls = try PinnedTLS(store: store, configuration: GRPCTests.configuration(), pool: held.pool)
      try await GRPCTests.serve(try TransportFixtures.host("allowed.test")) { server in
        let refusals = NIOLockedValueBox<[PinnedTLSError.Code]>([])
        let transport = try tls.grpcTransport(
          target: .ipv4(address: "127.0.0.1", port: server.port), host: "allowed.test", port: UInt16(server.port),
          onRefusal: { error in refusals.withLockedValue { $0.append(error.code) } })
        try await withGRPCClient(transport: transport) { client in
          try await Self.swap(store, held, between: client, and: server)
        }
        #expect(refusals.withLockedValue { $0.first } == .noLongerHolds)
      }
    }
  }

  @Test func `no call of a client that is refused is handled, while the pool is busy`() async throws {
    try await withHeldPool { held in
      let store = try TransportFixtures.store()
      let counters = ServerCounters()
      let tls = try GRPCTests.client(presenting: try #require(TransportFixtures.clients.first))
      try await GRPCTests.serve(try GRPCTests.pinned(store, counters, pool: held.pool), counters) { server in
        let transport = try tls.grpcTransport(
          target: .ipv4(address: "127.0.0.1", port: server.port), host: "unpinned.test", port: UInt16(server.port))
        try await withGRPCClient(transport: transport) { client in
          try await Self.swap(store, held, between: client, and: server)
        }
      }
    }
  }

  /// Makes calls over an open connection that a manifest refuses while the pool is busy; none may be handled.
  private static func swap<Transport: ClientTransport>(
    _ store: PinStore, _ held: HeldPool, between client: GRPCClient<Transport>, and server: GRPCTests.Listening
  ) async throws {
    #expect(try await EchoService.say("hello", on: client) == "hello")
    await held.hold()
    try store.update(try TransportFixtures.bytes("newer.json"))
    let ended = NIOLockedValueBox(0)
    await withTaskGroup(of: Void.self) { tasks in
      for _ in 0..<20 {
        tasks.addTask {
          await #expect(throws: RPCError.self) { try await EchoService.say("hello", on: client) }
          ended.withLockedValue { $0 += 1 }
        }
      }
      // Calls fail at once, or wait for another connection, which is decided on once the pool is free.
      while server.counters.connections == 1, server.calls.withLockedValue({ $0 }) == 1,
        ended.withLockedValue({ $0 }) < 20
      {
        try? await Task.sleep(for: .milliseconds(1))
      }
      held.letGo()
    }
    #expect(server.calls.withLockedValue { $0 } == 1)
  }
}
#endif
