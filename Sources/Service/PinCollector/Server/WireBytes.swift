#if Collector
import NIOCore

/// Counts what comes in for the ``RequestLimits`` of a connection, before anything is made of it.
final class WireBytes: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let limits: RequestLimits
  private let limitsContext: ChannelHandlerContext

  init(_ limits: RequestLimits, _ context: ChannelHandlerContext) {
    self.limits = limits
    limitsContext = context
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if limits.received(unwrapInboundIn(data).readableBytes, limitsContext) { context.fireChannelRead(data) }
  }
}
#endif
