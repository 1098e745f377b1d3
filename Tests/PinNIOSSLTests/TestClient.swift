#if NIOSSL
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import PinNIOSSL
import PinValidator
import TransportSupport

/// A client that connects to a server on loopback under the name of a host, and hears what comes back.
final class TestClient: Sendable {
  let connection: PinnedConnection
  let received: EventLoopFuture<String>

  private init(_ connection: PinnedConnection, _ received: EventLoopFuture<String>) {
    self.connection = connection
    self.received = received
  }

  var channel: any Channel { connection.channel }

  static func connect(
    _ tls: PinnedTLS, as host: String, to port: UInt16,
    on group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    prepare: @escaping @Sendable (PinnedConnection) throws -> Void = { _ in }
  ) async throws -> TestClient {
    let made = NIOLockedValueBox<TestClient?>(nil)
    _ = try await ClientBootstrap(group: group)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let connection = try tls.addHandlers(to: channel, host: host, port: port)
          let received = channel.eventLoop.makePromise(of: String.self)
          try channel.pipeline.syncOperations.addHandler(ListeningHandler(received))
          try prepare(connection)
          made.withLockedValue { $0 = TestClient(connection, received.futureResult) }
        }
      }
      .connect(host: "127.0.0.1", port: Int(port)).get()
    guard let client = made.withLockedValue({ $0 }) else { throw ChannelError.ioOnClosedChannel }
    return client
  }

  /// Sends a line and answers what comes back for it.
  func echo(_ text: String) async throws -> String {
    try await channel.writeAndFlush(ByteBuffer(string: text)).get()
    return try await received.get()
  }

  /// Why the connection was refused; nil where it wasn't.
  func refusal() async -> PinnedTLSError? {
    do {
      _ = try await connection.verified.get()
      return nil
    } catch {
      return error as? PinnedTLSError
    }
  }
}

/// Tells the first line that comes in.
private final class ListeningHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let promise: EventLoopPromise<String>
  private var text = ""

  init(_ promise: EventLoopPromise<String>) {
    self.promise = promise
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    text += String(buffer: unwrapInboundIn(data))
    if text.hasSuffix("\n") { promise.succeed(text) }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { promise.fail(error) }

  func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
}
#endif
