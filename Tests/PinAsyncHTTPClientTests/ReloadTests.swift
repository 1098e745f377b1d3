#if AsyncHTTPClient
import AsyncHTTPClient
import PinAsyncHTTPClient
import PinNIOSSL
import PinValidator
import Synchronization
import Testing
import TransportSupport

/// What a manifest that takes effect does to connections that are open.
@Suite struct ReloadTests {
  @Test(arguments: HTTPKind.allCases)
  func dropsWhatIsRefusedNow(_ kind: HTTPKind) async throws {
    let store = try TransportFixtures.store()
    let server = try await kind.server(counting: RequestCounter())
    let other = try await kind.server(counting: RequestCounter())
    try await withServer(server) { server in
      try await withServer(other) { other in
        try await withClient(store, .init(endpoints: [])) { client in
          try await client.expectHello(from: "leaf.test", at: server)
          try await client.expectHello(from: "report-only.test", at: other)
          #expect(client.openConnections == 2)
          try store.update(try TransportFixtures.bytes("newer.json"))
          await client.hasOnly(1)
          let error = await #expect(throws: PinnedTLSError.self) { try await client.get("leaf.test", at: server) }
          #expect(error?.code == .blocked)
          #expect(server.connections == 2)
          // Connections that are still allowed are kept.
          try await client.expectHello(from: "report-only.test", at: other)
          #expect(other.connections == 1)
        }
      }
    }
  }

  /// From the moment at which a manifest takes effect: whatever the pool does, the server gets no further request.
  @Test(arguments: HTTPKind.allCases)
  func sendsNothingOnceAManifestRefuses(_ kind: HTTPKind) async throws {
    for _ in 0..<10 {
      let store = try TransportFixtures.store()
      let requests = RequestCounter()
      try await withServer(try await kind.server(counting: requests)) { server in
        try await withClient(store, .init(endpoints: [])) { client in
          try await client.expectHello(from: "leaf.test", at: server)
          try store.update(try TransportFixtures.bytes("newer.json"))
          await #expect(throws: (any Error).self) { try await client.get("leaf.test", at: server) }
          await client.hasOnly(0)
          await server.drained()
          #expect(requests.value == 1)
        }
      }
    }
  }

  @Test func saysWhatANewManifestBringsThatCannotBeDecidedOn() async throws {
    let store = try TransportFixtures.store {
      $0.embedded = nil
      $0.withoutManifest = .notPinned
    }
    let told = Told()
    let options = PinnedAsyncHTTPClient.Options(
      endpoints: [.init(host: "allowed.test"), .init(host: "leaf.test")], onLimits: { told.add($0) })
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      try await withClient(store, options) { client in
        #expect(client.limits.isEmpty)
        try await client.expectHello(from: "allowed.test", at: server)
        try store.update(try TransportFixtures.bytes("manifest.json"))
        #expect(told.all.map(\.entry) == ["allowed.test"])
        #expect(client.limits == told.all)
        // The earlier connection is closed, and there is no new one.
        await client.hasOnly(0)
        let error = await #expect(throws: PinnedAsyncHTTPClientError.self) {
          try await client.get("allowed.test", at: server)
        }
        #expect(error?.code == .undecidableEntry)
        #expect(server.connections == 1)
        try await client.expectHello(from: "leaf.test", at: server)
      }
    }
  }
}

private final class Told: Sendable {
  private let limits = Mutex<[LeafOnlyLimit]>([])

  var all: [LeafOnlyLimit] { limits.withLock { $0 } }
  func add(_ more: [LeafOnlyLimit]) { limits.withLock { $0 += more } }
}
#endif
