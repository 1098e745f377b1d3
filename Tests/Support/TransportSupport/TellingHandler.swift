#if NIOSSL
package import NIOCore

/// Says that something was read.
package final class TellingHandler: ChannelInboundHandler {
  package typealias InboundIn = ByteBuffer

  private let tell: () -> Void

  package init(_ tell: @escaping () -> Void) {
    self.tell = tell
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) { tell() }
}
#endif
