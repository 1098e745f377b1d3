#if NIOSSL
import NIOConcurrencyHelpers
package import NIOCore
import NIOTLS

/// What a server has seen of its connections.
package final class ServerCounters: Sendable {
  struct Values: Sendable {
    var bytes = 0
    var connections = 0
    var handshakes = 0
    var open: [ObjectIdentifier: any Channel] = [:]
  }

  let values = NIOLockedValueBox(Values())

  package init() {}

  /// The bytes of application data that came in, in all.
  package var bytesReceived: Int { values.withLockedValue { $0.bytes } }

  /// The connections that came in.
  package var connections: Int { values.withLockedValue { $0.connections } }

  /// Waits until the connections that were made so far are closed, by either side.
  package func drained() async {
    for channel in open { try? await channel.closeFuture.get() }
  }

  var open: [any Channel] { values.withLockedValue { Array($0.open.values) } }

  package func noteConnection(_ channel: any Channel) {
    values.withLockedValue {
      $0.connections += 1
      $0.open[ObjectIdentifier(channel)] = channel
    }
    channel.closeFuture.whenComplete { _ in
      self.values.withLockedValue { $0.open[ObjectIdentifier(channel)] = nil }
    }
  }
}

/// Counts the application data that comes in; placed after the TLS handler.
package final class CountingHandler: ChannelInboundHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer

  private let counters: ServerCounters

  package init(_ counters: ServerCounters) {
    self.counters = counters
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let count = unwrapInboundIn(data).readableBytes
    counters.values.withLockedValue { $0.bytes += count }
    context.fireChannelRead(data)
  }

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? TLSUserEvent, case .handshakeCompleted = event {
      counters.values.withLockedValue { $0.handshakes += 1 }
    }
    context.fireUserInboundEventTriggered(event)
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.close(promise: nil)
  }
}
#endif
