#if HTTPClient
import Dispatch
import NIOCore
import NIOHTTP1
import NIOPosix
import PinHTTPClient
import PinNIOSSL
import PinValidator
import Testing
import TransportSupport

/// From the moment at which a manifest takes effect no request goes over a connection that it refuses.
@Suite(.timeLimit(.minutes(1))) struct SwapTests {
  @Test func `no request goes to a server that is refused, while the pool is busy`() async throws {
    try await withHeldPool { held in
      let store = try TransportFixtures.store()
      let client = try PinHTTPClient(try PinnedTLS(store: store, pool: held.pool))
      try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
        let request = try PinHTTPClientTests.request(server)
        #expect(try await client.execute(request).status == .ok)
        let received = server.bytesReceived
        await held.hold()
        try store.update(try TransportFixtures.bytes("newer.json"))
        async let refused = client.refusal(of: request)
        // The request waits for another connection, which is decided on once the pool is free.
        while server.connections == 1, server.bytesReceived == received { try await Task.sleep(for: .milliseconds(1)) }
        held.letGo()
        #expect(await refused?.code == .blocked)
        await server.drained()
        #expect(server.bytesReceived == received)
      }
    }
  }

  /// The client has taken a kept connection already, and the event loop hasn't sent anything yet.
  @Test func `a request that waits to be sent isn't, once a manifest refuses`() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let store = try TransportFixtures.store()
    let client = try PinHTTPClient(try PinnedTLS(store: store), group: group)
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      let request = try PinHTTPClientTests.request(server)
      #expect(try await client.execute(request).status == .ok)
      let received = server.bytesReceived
      let proceed = DispatchSemaphore(value: 0)
      group.next().execute { proceed.wait() }
      async let refused = client.refusal(of: request)
      while client.idleConnections > 0 { try await Task.sleep(for: .milliseconds(1)) }
      try store.update(try TransportFixtures.bytes("newer.json"))
      proceed.signal()
      #expect(await refused?.code == .noLongerHolds)
      await server.drained()
      #expect(server.bytesReceived == received)
    }
    try await group.shutdownGracefully()
  }
}

extension PinHTTPClient {
  /// Why a request is refused; nil where it isn't.
  fileprivate func refusal(of request: PinHTTPRequest) async -> PinnedTLSError? {
    do {
      _ = try await execute(request)
      return nil
    } catch {
      return error as? PinnedTLSError
    }
  }
}
#endif
