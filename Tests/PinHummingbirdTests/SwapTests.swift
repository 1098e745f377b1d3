#if Hummingbird
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import PinHummingbird
import PinNIOSSL
import PinValidator
import Synchronization
import Testing
import TransportSupport

/// From the moment at which a manifest takes effect no request is handled of a client that it refuses, whatever the thread
/// pool does.
@Suite(.timeLimit(.minutes(1))) struct SwapTests {
  @Test func handlesNoRequestOverAnOpenConnection() async throws {
    try await withHeldPool { held in
      let store = try TransportFixtures.store()
      let handled = Atomic(0)
      try await withApplication(store, pool: held.pool, counting: { handled.add(1, ordering: .relaxed) }) { port in
        let client = try await Client.connect(to: port)
        try await client.send(Client.request)
        try await client.answered.get()
        await held.hold()
        try store.update(try TransportFixtures.bytes("newer.json"))
        try? await client.send(Client.lastRequest)
        try await client.channel.closeFuture.get()
      }
      #expect(handled.load(ordering: .relaxed) == 1)
    }
  }

  /// Both came in before the manifest, which takes effect while the first is handled.
  @Test func handlesNoRequestThatWaitsForAnother() async throws {
    try await withHeldPool { held in
      let store = try TransportFixtures.store()
      let newer = try TransportFixtures.bytes("newer.json")
      let handled = Atomic(0)
      let count: @Sendable () -> Void = {
        if handled.add(1, ordering: .relaxed).newValue == 2 { _ = try? store.update(newer) }
      }
      try await withApplication(store, pool: held.pool, counting: count) { port in
        let client = try await Client.connect(to: port)
        try await client.send(Client.request)
        try await client.answered.get()
        await held.hold()
        try await client.send(Client.request + Client.lastRequest)
        try await client.channel.closeFuture.get()
      }
      #expect(store.validator?.manifest.serial == 2)
      #expect(handled.load(ordering: .relaxed) == 2)
    }
  }
}

/// A client with a certificate that the first manifest lets in, which sends text.
private struct Client: Sendable {
  static let request = "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"
  /// After this one the server closes the connection.
  static let lastRequest = "GET / HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"

  let pinned: PinnedConnection
  /// Something has come back.
  let answered: EventLoopFuture<Void>

  var channel: any Channel { pinned.channel }

  static func connect(to port: Int) async throws -> Client {
    let row = try #require(TransportFixtures.clients.first)
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.certificateChain = try TransportFixtures.chain(of: row)
    configuration.privateKey = try TransportFixtures.key(of: row)
    let tls = try PinnedTLS(store: try TransportFixtures.store(), configuration: configuration)
    let made = NIOLockedValueBox<Client?>(nil)
    _ = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let pinned = try tls.addHandlers(to: channel, host: "127.0.0.1", port: 443)
          let answered = channel.eventLoop.makePromise(of: Void.self)
          try channel.pipeline.syncOperations.addHandler(AnswerHandler(answered))
          made.withLockedValue { $0 = Client(pinned: pinned, answered: answered.futureResult) }
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
    return try #require(made.withLockedValue { $0 })
  }

  func send(_ text: String) async throws {
    try await channel.writeAndFlush(ByteBuffer(string: text)).get()
  }
}

private final class AnswerHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let answered: EventLoopPromise<Void>

  init(_ answered: EventLoopPromise<Void>) {
    self.answered = answered
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) { answered.succeed() }

  func channelInactive(context: ChannelHandlerContext) { answered.fail(ChannelError.eof) }
}
#endif
