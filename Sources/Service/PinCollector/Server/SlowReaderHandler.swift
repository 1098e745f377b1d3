#if Collector
import NIOCore

/// Closes a connection whose client takes none of its answer for too long.
///
/// The server's own limit of silence doesn't hold while an answer is on its way: anybody who asks and never reads would
/// keep the connection for ever.
final class SlowReaderHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = NIOAny

  private let patience: TimeAmount
  private var deadline: Scheduled<Void>?

  init(patience: TimeAmount) {
    self.patience = patience
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    deadline?.cancel()
    deadline = nil
    if !context.channel.isWritable {
      let channel = context.channel
      deadline = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
    }
    context.fireChannelWritabilityChanged()
  }

  func channelInactive(context: ChannelHandlerContext) {
    deadline?.cancel()
    context.fireChannelInactive()
  }

  func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }
}
#endif
