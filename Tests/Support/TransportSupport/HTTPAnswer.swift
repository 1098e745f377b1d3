#if NIOSSL
import NIOCore
package import NIOHTTP1

/// What a test's HTTP server answers.
package struct HTTPAnswer: Sendable {
  package var status: HTTPResponseStatus
  package var headers: HTTPHeaders
  package var body: String

  package init(_ status: HTTPResponseStatus = .ok, headers: HTTPHeaders = [:], body: String = "hello") {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

final class HTTPAnsweringHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let answer: @Sendable (HTTPRequestHead, ByteBuffer) -> HTTPAnswer
  private var head: HTTPRequestHead?
  private var body = ByteBuffer()

  init(_ answer: @escaping @Sendable (HTTPRequestHead, ByteBuffer) -> HTTPAnswer) {
    self.answer = answer
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      body.clear()
    case .body(var part): body.writeBuffer(&part)
    case .end:
      guard let head else { return }
      let answer = answer(head, body)
      var headers = answer.headers
      if !headers.contains(name: "transfer-encoding") {
        headers.replaceOrAdd(name: "content-length", value: String(answer.body.utf8.count))
      }
      let response = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
      context.write(wrapOutboundOut(.head(response)), promise: nil)
      if head.method != .HEAD {
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
      }
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      if headers["connection"].contains("close") || !head.isKeepAlive { context.close(promise: nil) }
    }
  }
}
#endif
