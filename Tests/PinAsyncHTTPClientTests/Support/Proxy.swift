#if AsyncHTTPClient
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

/// An HTTP proxy that makes tunnels (RFC 9110 section 9.3.6), all of them to loopback.
final class Proxy: Sendable {
  private let listener: any Channel
  private let log: NIOLockedValueBox<[String]>

  /// The port on 127.0.0.1, chosen by the kernel.
  var port: Int { listener.localAddress?.port ?? 0 }
  /// Where tunnels were asked to lead.
  var targets: [String] { log.withLockedValue { $0 } }

  private init(_ listener: any Channel, _ log: NIOLockedValueBox<[String]>) {
    self.listener = listener
    self.log = log
  }

  static func start() async throws -> Proxy {
    let log = NIOLockedValueBox<[String]>([])
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(TunnelHandler(log))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    return Proxy(listener, log)
  }

  func stop() async { try? await listener.close() }
}

private final class TunnelHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let log: NIOLockedValueBox<[String]>
  private var head = ""
  private var other: (any Channel)?

  init(_ log: NIOLockedValueBox<[String]>) {
    self.log = log
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    if let other { return other.writeAndFlush(bytes, promise: nil) }
    head += String(buffer: bytes)
    guard head.hasSuffix("\r\n\r\n") else { return }
    let target = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    log.withLockedValue { $0.append(target) }
    let port = target.split(separator: ":").last.flatMap { Int($0) } ?? 0
    let channel = context.channel
    ClientBootstrap(group: context.eventLoop)
      .channelInitializer { other in
        other.eventLoop.makeCompletedFuture { try other.pipeline.syncOperations.addHandler(ForwardHandler(channel)) }
      }
      .connect(host: "127.0.0.1", port: port).assumeIsolated().whenComplete { result in
        switch result {
        case .success(let other):
          self.other = other
          channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n"), promise: nil)
        case .failure: channel.close(promise: nil)
        }
      }
  }

  func channelInactive(context: ChannelHandlerContext) { other?.close(promise: nil) }
}

private final class ForwardHandler: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let other: any Channel

  init(_ other: any Channel) {
    self.other = other
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    other.writeAndFlush(unwrapInboundIn(data), promise: nil)
  }

  func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
}
#endif
