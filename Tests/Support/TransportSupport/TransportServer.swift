#if NIOSSL
import NIOConcurrencyHelpers
package import NIOCore
package import NIOHTTP1
import NIOPosix
package import NIOSSL

/// A TLS server on loopback that presents the chains of the fixtures, by the server name that it is asked for.
///
/// What it receives as application data is counted before anything else is done with it, so that a test can show that
/// nothing was sent.
package final class TransportServer: Sendable {
  /// What a server does with its connections behind TLS.
  package typealias Application = @Sendable (any Channel) -> EventLoopFuture<Void>

  /// The port on 127.0.0.1, chosen by the kernel.
  package let port: UInt16
  private let listener: any Channel
  private let counters: ServerCounters

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - host: Whose chain is presented to clients that name no host, or one that has no folder.
  ///   - change: What is different about TLS, as asking for client certificates.
  ///   - application: What the server does; unless given, it sends back what it gets.
  /// - Returns: The server, listening.
  /// - Throws: What NIO says where it can't be started.
  package static func start(
    presenting host: String = "127.0.0.1", configure change: (inout TLSConfiguration) throws -> Void = { _ in },
    application: @escaping Application = TransportServer.echo
  ) async throws -> TransportServer {
    let row = try TransportFixtures.host(host)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try TransportFixtures.chain(of: row), privateKey: try TransportFixtures.key(of: row))
    configuration.sslContextCallback = { values, promise in
      var override = NIOSSLContextConfigurationOverride()
      if let row = try? TransportFixtures.host(values.serverHostname?.lowercased() ?? "") {
        override.certificateChain = try? TransportFixtures.chain(of: row)
        override.privateKey = try? TransportFixtures.key(of: row)
      }
      promise.succeed(override)
    }
    try change(&configuration)
    let context = try NIOSSLContext(configuration: configuration)
    return try await start(application: application) { channel in
      try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
    }
  }

  /// Starts a server whose TLS handlers are another's.
  package static func start(
    on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, application: @escaping Application,
    tls: @escaping @Sendable (any Channel) throws -> Void
  ) async throws -> TransportServer {
    let counters = ServerCounters()
    let listener = try await ServerBootstrap(group: group)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.backlog, value: 256)
      .childChannelInitializer { channel in
        counters.noteConnection(channel)
        return channel.eventLoop.makeCompletedFuture {
          try tls(channel)
          try channel.pipeline.syncOperations.addHandler(CountingHandler(counters))
        }.flatMap { application(channel) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return TransportServer(listener, counters)
  }

  private init(_ listener: any Channel, _ counters: ServerCounters) {
    self.listener = listener
    self.counters = counters
    port = UInt16(listener.localAddress?.port ?? 0)
  }

  /// The bytes of application data that came in, in all.
  package var bytesReceived: Int { counters.bytesReceived }
  /// The TCP connections that came in.
  package var connections: Int { counters.connections }
  /// The TLS handshakes that were completed, as the server sees it.
  package var handshakes: Int { counters.values.withLockedValue { $0.handshakes } }

  /// Stops listening, closes all connections and waits until both are done.
  package func stop() async {
    try? await listener.close()
    for channel in counters.open { try? await channel.close() }
  }

  /// Waits until the connections that were made so far are closed, by either side.
  package func drained() async {
    await counters.drained()
  }

  /// Closes the connections that are open.
  package func closeConnections() async {
    for channel in counters.open { try? await channel.close() }
  }

  /// Sends back what comes in.
  package static let echo: Application = { channel in
    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(EchoHandler()) }
  }

  /// Answers HTTP/1.1 requests.
  package static func http(
    _ answer: @escaping @Sendable (HTTPRequestHead, ByteBuffer) -> HTTPAnswer = { _, _ in HTTPAnswer() }
  ) -> Application {
    { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
        try channel.pipeline.syncOperations.addHandler(HTTPAnsweringHandler(answer))
      }
    }
  }
}

/// Runs a test with a server that is stopped at its end.
package func withServer<Result>(
  _ server: TransportServer, _ body: (TransportServer) async throws -> Result
) async throws -> Result {
  do {
    let result = try await body(server)
    await server.stop()
    return result
  } catch {
    await server.stop()
    throw error
  }
}

private final class EchoHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    context.writeAndFlush(data, promise: nil)
  }
}
#endif
