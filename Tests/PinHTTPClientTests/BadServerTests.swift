#if HTTPClient
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import PinHTTPClient
import PinNIOSSL
import Testing
import TransportSupport

/// Servers that say something wrong, or nothing.
@Suite(.timeLimit(.minutes(1))) struct BadServerTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var response: String
    var closes = true
    var error: PinHTTPError
  }

  static let rows = [
    Row(testDescription: "nothing", response: "", error: .closedEarly(nothingReceived: true)),
    Row(
      testDescription: "half a head", response: "HTTP/1.1 200 OK\r\ncontent-le",
      error: .closedEarly(nothingReceived: true)),
    Row(
      testDescription: "a body that is cut", response: "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello",
      error: .closedEarly(nothingReceived: false)),
    Row(
      testDescription: "chunks without an end",
      response: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n",
      error: .closedEarly(nothingReceived: false)),
    Row(
      testDescription: "a long body, announced", response: "HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n",
      closes: false, error: .responseTooLong(limit: 1_000)),
    Row(
      testDescription: "a long body, in chunks",
      response: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n7d0\r\n" + String(repeating: "x", count: 2_000),
      closes: false, error: .responseTooLong(limit: 1_000)),
    Row(
      testDescription: "another protocol", response: "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
      closes: false, error: .invalidResponse("status 101 wasn't asked for")),
  ]

  private static func application(_ response: String, closes: Bool) -> TransportServer.Application {
    { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(ScriptHandler(response, closes: closes))
      }
    }
  }

  @Test(arguments: rows)
  func `a response that isn't one is an error`(_ row: Row) async throws {
    let client = try PinHTTPClientTests.client { $0.responseBytes = 1_000 }
    let server = try await TransportServer.start(application: Self.application(row.response, closes: row.closes))
    try await withServer(server) { server in
      let request = try PinHTTPClientTests.request(server)
      await #expect(throws: row.error) { try await client.execute(request) }
      await server.drained()
      await client.emptied()
    }
  }

  @Test func `a response that isn't HTTP is an error`() async throws {
    let client = try PinHTTPClientTests.client()
    let server = try await TransportServer.start(application: Self.application("220 mail\r\n\r\n", closes: false))
    try await withServer(server) { server in
      let request = try PinHTTPClientTests.request(server)
      let error = await #expect(throws: PinHTTPError.self) { try await client.execute(request) }
      guard case .invalidResponse = error else {
        Issue.record("expected an invalid response, found \(String(describing: error))")
        return
      }
    }
  }

  @Test(arguments: ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n", ""])
  func `interim responses are ignored, and a body may end with the connection`(_ interim: String) async throws {
    let client = try PinHTTPClientTests.client()
    let response = interim + "HTTP/1.1 200 OK\r\n\r\nuntil the end"
    let server = try await TransportServer.start(application: Self.application(response, closes: true))
    try await withServer(server) { server in
      let answer = try await client.execute(try PinHTTPClientTests.request(server, .PUT, body: "x"))
      #expect(String(buffer: answer.body) == "until the end")
      await server.drained()
      await client.emptied()
    }
  }

  @Test func `a server that speaks unasked loses the connection`() async throws {
    let client = try PinHTTPClientTests.client()
    let twice = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
    let server = try await TransportServer.start(application: Self.application(twice, closes: false))
    try await withServer(server) { server in
      _ = try? await client.execute(try PinHTTPClientTests.request(server))
      await server.drained()
      await client.emptied()
    }
  }

  /// The second response comes in while nobody has asked: it is the answer to nothing.
  @Test func `what wasn't asked for answers no later request`() async throws {
    let client = try PinHTTPClientTests.client()
    let twice = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\nHTTP/1.1 418 Other\r\ncontent-length: 0\r\n\r\n"
    let server = try await TransportServer.start(application: Self.application(twice, closes: false))
    try await withServer(server) { server in
      for number in 1...20 {
        let request = try PinHTTPClientTests.request(server, .POST, body: "x")
        #expect(try await client.execute(request).status == .ok)
        #expect(server.connections == number)
      }
      client.closeIdleConnections()
    }
  }

  @Test func `a server that doesn't answer meets the deadline`() async throws {
    let client = try PinHTTPClientTests.client()
    let server = try await TransportServer.start(application: { $0.eventLoop.makeSucceededVoidFuture() })
    try await withServer(server) { server in
      let request = try PinHTTPClientTests.request(server)
      await #expect(throws: PinHTTPError.deadlineExceeded) {
        try await client.execute(request, deadline: .milliseconds(100))
      }
      await server.drained()
    }
    let silent = try await TransportServer.start(
      application: { $0.eventLoop.makeSucceededVoidFuture() }, tls: { _ in })
    try await withServer(silent) { server in
      let request = try PinHTTPClientTests.request(server)
      await #expect(throws: PinHTTPError.deadlineExceeded) {
        try await client.execute(request, deadline: .milliseconds(100))
      }
      await server.drained()
    }
  }

  @Test func `who cancels waits no longer`() async throws {
    let client = try PinHTTPClientTests.client()
    let (requests, continuation) = AsyncStream.makeStream(of: Void.self)
    let server = try await TransportServer.start(application: { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(TellingHandler { continuation.yield() })
      }
    })
    try await withServer(server) { server in
      let request = try PinHTTPClientTests.request(server)
      let task = Task { try await client.execute(request) }
      for await _ in requests { break }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      await server.drained()
      let early = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await client.execute(request)
      }
      await #expect(throws: CancellationError.self) { try await early.value }
      #expect(client.idleConnections == 0)
    }
  }
}

/// Says its part when anything comes in.
private final class ScriptHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let response: String
  private let closes: Bool

  init(_ response: String, closes: Bool) {
    self.response = response
    self.closes = closes
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: response)), promise: nil)
    if closes { context.close(promise: nil) }
  }
}
#endif
