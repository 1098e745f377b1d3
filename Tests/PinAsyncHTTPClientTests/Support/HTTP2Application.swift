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

/// How much of a response is sent.
enum Answering: CaseIterable, Sendable {
  case nothing
  case head
  case whole
}

/// Answers HTTP/1.1 requests.
func answersHTTP1(_ answering: Answering, counting requests: RequestCounter) -> TransportServer.Application {
  { channel in
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.configureHTTPServerPipeline()
      try channel.pipeline.syncOperations.addHandler(RequestHandler(answering, requests))
    }
  }
}

/// Answers HTTP/2 requests.
func answersHTTP2(_ answering: Answering, counting requests: RequestCounter) -> TransportServer.Application {
  { channel in
    channel.configureHTTP2Pipeline(mode: .server) { stream in
      stream.eventLoop.makeCompletedFuture {
        try stream.pipeline.syncOperations.addHandlers([
          HTTP2FramePayloadToHTTP1ServerCodec(), RequestHandler(answering, requests),
        ])
      }
    }.map { _ in }
  }
}

private final class RequestHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let answering: Answering
  private let requests: RequestCounter

  init(_ answering: Answering, _ requests: RequestCounter) {
    self.answering = answering
    self.requests = requests
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head: requests.increment()
    case .body: break
    case .end:
      guard answering != .nothing else { return }
      context.writeAndFlush(wrapOutboundOut(.head(HTTPResponseHead(version: .http1_1, status: .ok))), promise: nil)
      guard answering == .whole else { return }
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "hello")))), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
  }
}
#endif
