#if HTTPClient
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOSSL
import PinHTTPClient
import PinNIOSSL
import PinValidator
import Testing
import TransportSupport

@Suite(.timeLimit(.minutes(1))) struct PinHTTPClientTests {
  static func client(
    _ store: PinStore? = nil, _ change: (inout PinHTTPClient.Limits) -> Void = { _ in }
  ) throws -> PinHTTPClient {
    var limits = PinHTTPClient.Limits()
    change(&limits)
    return try PinHTTPClient(try PinnedTLS(store: try store ?? TransportFixtures.store()), limits: limits)
  }

  /// A request to a host that goes to a server on loopback.
  static func request(
    _ server: TransportServer, _ method: HTTPMethod = .GET, as host: String = "allowed.test", target: String = "/",
    headers: HTTPHeaders = [:], body: String? = nil
  ) throws -> PinHTTPRequest {
    var request = PinHTTPRequest(
      method, host: host, port: server.port, target: target, headers: headers, body: body.map { ByteBuffer(string: $0) }
    )
    request.address = try SocketAddress(ipAddress: "127.0.0.1", port: Int(server.port))
    return request
  }

  @Test(arguments: TransportFixtures.hosts)
  func `each host is answered as the table says, and no request reaches those that are refused`(
    _ row: TransportCase
  ) async throws {
    let log = DecisionLog()
    let client = try Self.client(try TransportFixtures.store(telling: log))
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      let request = try Self.request(server, as: row.host)
      if row.isAllowed {
        #expect(String(buffer: try await client.execute(request).body) == "hello")
      } else {
        let error = await #expect(throws: PinnedTLSError.self) { try await client.execute(request) }
        #expect(row.difference(from: try #require(error?.decision)) == nil)
        await server.drained()
        #expect(server.bytesReceived == 0)
      }
      #expect(log.all.count == 1)
      client.closeIdleConnections()
    }
  }

  @Test func `method, target, headers and body arrive, and the response comes back`() async throws {
    let client = try Self.client()
    let application = TransportServer.http { head, body in
      HTTPAnswer(
        .created, headers: ["x-seen": "\(head.method) \(head.uri) \(head.headers["x-asked"].joined())"],
        body: String(buffer: body) + head.headers["host"].joined())
    }
    try await withServer(try await TransportServer.start(application: application)) { server in
      let response = try await client.execute(
        try Self.request(server, .POST, target: "/a?b=c", headers: ["X-Asked": "täglich"], body: "text for "))
      #expect(response.status == .created)
      #expect(response.headers["x-seen"] == ["POST /a?b=c täglich"])
      #expect(String(buffer: response.body) == "text for allowed.test:\(server.port)")
      for method in [HTTPMethod.HEAD, .RAW(value: "HEAD")] {
        let head = try await client.execute(try Self.request(server, method))
        #expect(head.body.readableBytes == 0)
      }
      client.closeIdleConnections()
    }
  }

  @Test func `a connection is kept for its host, and redirects are the caller's`() async throws {
    let log = DecisionLog()
    let client = try Self.client(try TransportFixtures.store(telling: log))
    let application = TransportServer.http { _, _ in
      HTTPAnswer(.found, headers: ["location": "https://blocked.test/", "transfer-encoding": "chunked"], body: "moved")
    }
    try await withServer(try await TransportServer.start(application: application)) { server in
      for _ in 0..<3 {
        let response = try await client.execute(try Self.request(server))
        #expect(response.status == .found)
        #expect(String(buffer: response.body) == "moved")
      }
      #expect(server.connections == 1)
      #expect(client.idleConnections == 1)
      _ = try await client.execute(try Self.request(server, as: "leaf.test"))
      #expect(server.connections == 2)
      #expect(log.all.map(\.handshake.host) == ["allowed.test", "leaf.test"])
      client.closeIdleConnections()
      await server.drained()
      await client.emptied()
    }
  }

  @Test func `a connection that the server closes isn't used again`() async throws {
    let client = try Self.client()
    let closing = NIOLockedValueBox(true)
    let application = TransportServer.http { _, _ in
      HTTPAnswer(headers: closing.withLockedValue { $0 } ? ["connection": "close"] : [:])
    }
    try await withServer(try await TransportServer.start(application: application)) { server in
      let request = try Self.request(server)
      for _ in 0..<2 { #expect(try await client.execute(request).status == .ok) }
      #expect(server.connections == 2)
      closing.withLockedValue { $0 = false }
      for _ in 0..<2 { #expect(try await client.execute(request).status == .ok) }
      #expect(server.connections == 3)
      await server.closeConnections()
      // Whether or not the client knows it yet: the request is repeated if the kept connection turns out to be closed.
      #expect(try await client.execute(request).status == .ok)
      #expect(server.connections == 4)
      client.closeIdleConnections()
    }
  }

  @Test func `no more connections are kept than asked for`() async throws {
    let client = try Self.client { $0.idleConnections = 2 }
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for _ in 0..<20 { tasks.addTask { _ = try await client.execute(try Self.request(server)) } }
        try await tasks.waitForAll()
      }
      #expect(client.idleConnections <= 2)
      client.closeIdleConnections()
      #expect(client.idleConnections == 0)
    }
  }

  @Test func `an idle connection is closed after its time`() async throws {
    let client = try Self.client { $0.idleTime = .milliseconds(1) }
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      _ = try await client.execute(try Self.request(server))
      await server.drained()
      await client.emptied()
    }
  }

  @Test func `a manifest that takes effect empties the pool of what it refuses`() async throws {
    let store = try TransportFixtures.store()
    let client = try Self.client(store)
    try await withServer(try await TransportServer.start(application: TransportServer.http())) { server in
      for host in ["allowed.test", "off.test"] { _ = try await client.execute(try Self.request(server, as: host)) }
      let before = server.bytesReceived
      try store.update(try TransportFixtures.bytes("newer.json"))
      let error = await #expect(throws: PinnedTLSError.self) { try await client.execute(try Self.request(server)) }
      #expect([.blocked, .noLongerHolds].contains(error?.code))
      #expect(server.bytesReceived == before)
      _ = try await client.execute(try Self.request(server, as: "off.test"))
      #expect(client.idleConnections == 1)
      client.closeIdleConnections()
    }
  }

  @Test(arguments: [
    ("target", "/a b"), ("target", "/a\r\nX: y"), ("target", "a"), ("target", ""), ("target", "/ü"),
    ("host", "a\r\nb"), ("host", ""), ("host", "a/b"), ("host", "a@b"), ("name", "X: y\r\nZ"), ("name", ""),
    ("value", "a\r\nX: y"), ("value", "a\nb"), ("value", "a\0"), ("own", "Host"), ("own", "content-length"),
    ("own", "Transfer-Encoding"), ("own", "connection"), ("method", "GET / HTTP/1.1\r\nX:"), ("method", "CONNECT"),
    ("raw", "CONNECT"), ("body", "TRACE"), ("raw body", "TRACE"),
  ])
  func `what would become another request isn't sent`(_ place: String, _ text: String) async throws {
    let client = try Self.client()
    var request = PinHTTPRequest(host: "allowed.test")
    switch place {
    case "target": request.target = text
    case "host": request.host = text
    case "name": request.headers.add(name: text, value: "x")
    case "value": request.headers.add(name: "x", value: text)
    case "own": request.headers.add(name: text, value: "1")
    case "raw": request.method = .RAW(value: text)
    case "body", "raw body":
      request.method = place == "body" ? HTTPMethod(rawValue: text) : .RAW(value: text)
      request.body = ByteBuffer(string: "GET /other HTTP/1.1\r\nHost: allowed.test\r\n\r\n")
    default: request.method = HTTPMethod(rawValue: text)
    }
    let sent = request
    let error = await #expect(throws: PinHTTPError.self) { try await client.execute(sent) }
    guard case .invalidRequest = error else {
      Issue.record("expected a refusal of the request, found \(String(describing: error))")
      return
    }
  }

  @Test func `a client that would speak HTTP 2 isn't made`() throws {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.applicationProtocols = ["h2", "http/1.1"]
    let tls = try PinnedTLS(store: try TransportFixtures.store(), configuration: configuration)
    #expect(throws: PinHTTPError.applicationProtocols) { try PinHTTPClient(tls) }
  }
}

extension PinHTTPClient {
  /// Waits until no idle connection is kept; what the server closes is noticed when that has come over the network.
  func emptied() async {
    while idleConnections > 0 { await Task.yield() }
  }
}
#endif
