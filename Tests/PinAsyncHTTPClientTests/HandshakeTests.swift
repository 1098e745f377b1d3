#if AsyncHTTPClient
import AsyncHTTPClient
import NIOHTTP1
import NIOSSL
import NIOCore
import PinAsyncHTTPClient
import PinFormat
import PinNIOSSL
import PinValidator
import Testing
import TransportSupport

/// Real handshakes with every host of the fixtures.
@Suite struct HandshakeTests {
  /// The hosts that are pinned by keys above the leaf.
  static let byAuthority: Set<String> = ["allowed.test", "127.0.0.1", "appended.test"]
  /// The hosts on which NIOSSL's own validation has the first word.
  static let refusedByNIOSSL: Set<String> = ["untrusted.test", "expired.test"]

  @Test(arguments: TransportFixtures.hosts, HTTPKind.allCases)
  func decidesWithTheIntermediatesKnown(_ row: TransportCase, _ kind: HTTPKind) async throws {
    try await check(row, kind, intermediates: true)
  }

  @Test(arguments: TransportFixtures.hosts.filter { !byAuthority.contains($0.host) }, HTTPKind.allCases)
  func decidesByTheLeafAlone(_ row: TransportCase, _ kind: HTTPKind) async throws {
    try await check(row, kind, intermediates: false)
  }

  private func check(_ row: TransportCase, _ kind: HTTPKind, intermediates: Bool) async throws {
    let log = DecisionLog()
    let store = try TransportFixtures.store(telling: log)
    let options = PinnedAsyncHTTPClient.Options(
      endpoints: [.init(host: row.host)], intermediates: intermediates ? try issuingAuthority() : [])
    let requests = RequestCounter()
    let server = try await kind.server(counting: requests)
    try await withServer(server) { server in
      try await withClient(store, options) { client in
        guard row.isAllowed else {
          let error = await #expect(throws: (any Error).self) { try await client.get(row.host, at: server) }
          let refusal = error as? PinnedTLSError
          #expect((refusal == nil) == Self.refusedByNIOSSL.contains(row.host), "\(String(describing: error))")
          if let refusal {
            #expect(refusal.code == .blocked)
            #expect(try row.difference(from: #require(refusal.decision)) == nil)
          }
          await server.drained()
          // One handshake, one decision: the pool doesn't retry.
          #expect(server.connections == 1)
          #expect(log.all.count == (refusal == nil ? 0 : 1))
          #expect(client.openConnections == 0)
          #expect(requests.value == 0)
          // HTTP/2 begins with settings, which are sent before the decision; HTTP/1.1 begins with the request.
          if kind == .http1 { #expect(server.bytesReceived == 0) }
          return
        }
        try await client.expectHello(from: row.host, at: server)
        #expect(requests.value == 1)
        let decision = try #require(log.all.first?.decision)
        #expect(log.all.count == 1)
        switch decision.disposition {
        case .performDefaultHandling: #expect(row.verdict == "notPinned")
        case .useCredential, .cancel: #expect(row.difference(from: decision) == nil)
        }
      }
    }
  }

  /// The path is never guessed: a leaf by an intermediate that isn't known is blocked.
  @Test func blocksWhatAnUnknownIntermediateIssued() async throws {
    let store = try TransportFixtures.store()
    let other = try NIOSSLCertificate.fromPEMFile(TransportFixtures.path("policy/keys/appended.pem"))
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      try await withClient(store, .init(endpoints: [.init(host: "allowed.test")], intermediates: other)) { client in
        let error = await #expect(throws: PinnedTLSError.self) { try await client.get("allowed.test", at: server) }
        #expect(error?.decision?.failures.map(\.code) == [.missingIntermediate])
        #expect(server.bytesReceived == 0)
      }
    }
  }

  /// A pooled connection is decided on once; the observers see one handshake, with the host and port of the URL.
  @Test func decidesOnceForAPooledConnection() async throws {
    let log = DecisionLog()
    let store = try TransportFixtures.store(telling: log)
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      try await withClient(store, .init(endpoints: [.init(host: "leaf.test")])) { client in
        for _ in 0..<3 { try await client.expectHello(from: "leaf.test", at: server) }
        #expect(server.connections == 1)
        #expect(client.openConnections == 1)
        #expect(log.all.map(\.handshake.host) == ["leaf.test"])
        #expect(log.all.map(\.handshake.port) == [server.port])
        #expect(log.all.map(\.handshake.tlsVersion) == [.tls13])
      }
    }
  }

  /// What is asked about is the host of the URL, whatever is connected to.
  @Test(arguments: ["leaf.test", "blocked.test"])
  func asksAboutTheHostBehindAProxy(_ host: String) async throws {
    let log = DecisionLog()
    let store = try TransportFixtures.store(telling: log)
    let proxy = try await Proxy.start()
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      let change = { (configuration: inout HTTPClient.Configuration) in
        configuration.dnsOverride = [:]
        configuration.proxy = .server(host: "127.0.0.1", port: proxy.port)
      }
      try await withClient(store, .init(endpoints: []), change) { client in
        if host == "leaf.test" {
          try await client.expectHello(from: host, at: server)
        } else {
          let error = await #expect(throws: PinnedTLSError.self) { try await client.get(host, at: server) }
          #expect(error?.code == .blocked)
          #expect(server.bytesReceived == 0)
        }
        #expect(proxy.targets == ["\(host):\(server.port)"])
        #expect(log.all.map(\.handshake.host) == [host])
      }
    }
    await proxy.stop()
  }

  /// A redirect leads to a host that was not asked about: the caller gets it, and nobody follows it.
  @Test func followsNoRedirect() async throws {
    let store = try TransportFixtures.store()
    let application = TransportServer.http { _, _ in
      HTTPAnswer(.found, headers: ["location": "https://unpinned.test/"])
    }
    try await withServer(try await TransportServer.start(application: application)) { server in
      try await withClient(store, .init(endpoints: [.init(host: "leaf.test")])) { client in
        let request = HTTPClientRequest(url: "https://leaf.test:\(server.port)/")
        let response = try await client.execute(request, timeout: .seconds(30))
        #expect(response.status == .found)
        #expect(response.headers.first(name: "location") == "https://unpinned.test/")
        _ = try await response.body.collect(upTo: 1 << 20)
        #expect(server.connections == 1)
      }
    }
  }
}
#endif
