#if AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2
import Synchronization
import TransportSupport

/// Counts what happens on several threads.
final class RequestCounter: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .sequentiallyConsistent) }
  func increment() { count.add(1, ordering: .sequentiallyConsistent) }
}

/// Answers HTTP/2 requests.
func answersHTTP2(counting requests: RequestCounter) -> TransportServer.Application {
  { channel in
    channel.configureHTTP2Pipeline(mode: .server) { stream in
      stream.eventLoop.makeCompletedFuture {
        try stream.pipeline.syncOperations.addHandlers([
          HTTP2FramePayloadToHTTP1ServerCodec(), StreamHandler(requests),
        ])
      }
    }.map { _ in }
  }
}

private final class StreamHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let requests: RequestCounter

  init(_ requests: RequestCounter) {
    self.requests = requests
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: requests.increment()
    case .body: break
    case .end:
      context.write(wrapOutboundOut(.head(HTTPResponseHead(version: .http2, status: .ok))), promise: nil)
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "hello")))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }
}
#endif
