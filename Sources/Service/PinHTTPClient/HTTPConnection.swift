#if HTTPClient
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import PinNIOSSL

/// One connection, for one request at a time.
final class HTTPConnection: Sendable {
  let pinned: PinnedConnection
  private let handler: NIOLoopBound<HTTPExchangeHandler>
  private let state = NIOLockedValueBox<(any Error)?>(nil)

  init(_ pinned: PinnedConnection, _ handler: NIOLoopBound<HTTPExchangeHandler>) {
    self.pinned = pinned
    self.handler = handler
  }

  var channel: any Channel { pinned.channel }

  /// Why the client itself ended the connection; nil where it didn't.
  var failure: (any Error)? { state.withLockedValue { $0 } }

  /// Sends a request; what is answered is the response, and whether another request may follow.
  func exchange(
    _ head: HTTPRequestHead, body: ByteBuffer?, limit: Int, until end: NIODeadline
  ) -> EventLoopFuture<(PinHTTPResponse, Bool)> {
    let promise = channel.eventLoop.makePromise(of: (PinHTTPResponse, Bool).self)
    channel.eventLoop.execute {
      self.handler.value.begin(head, body: body, limit: limit, until: end, promise)
    }
    return promise.futureResult.flatMapErrorThrowing { error in
      self.close()
      throw self.failure ?? self.pinned.error.flatMap { $0.code == .closed ? nil : $0 } ?? error
    }
  }

  /// Ends the request under way with an error, and the connection.
  func fail(_ error: any Error) {
    state.withLockedValue { if $0 == nil { $0 = error } }
    channel.eventLoop.execute { self.handler.value.end(error) }
    close()
  }

  func close() { channel.close(promise: nil) }
}

/// The connection had closed before a request could begin, so that any request may be sent on another.
struct NothingSent: Error {}

/// Sends one request after another and puts each response together.
final class HTTPExchangeHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart
  typealias OutboundOut = HTTPClientRequestPart

  private var exchange: Exchange?
  /// Whether the connection is being closed, so that no request may follow.
  private var isSpent = false
  private var context: ChannelHandlerContext?

  private struct Exchange {
    let promise: EventLoopPromise<(PinHTTPResponse, Bool)>
    let method: HTTPMethod
    let limit: Int
    let timer: Scheduled<Void>
    var response: PinHTTPResponse?
    var mayBeKept = true
    /// Whether all of the request has gone out; a server may answer before.
    var isSent = false
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    end(PinHTTPError.closedEarly(nothingReceived: exchange?.response == nil))
  }

  func begin(
    _ head: HTTPRequestHead, body: ByteBuffer?, limit: Int, until end: NIODeadline,
    _ promise: EventLoopPromise<(PinHTTPResponse, Bool)>
  ) {
    guard exchange == nil, !isSpent, let context, context.channel.isActive else {
      promise.fail(NothingSent())
      return
    }
    let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
    let timer = context.eventLoop.scheduleTask(deadline: end) { bound.value.end(PinHTTPError.deadlineExceeded) }
    exchange = Exchange(promise: promise, method: head.method, limit: limit, timer: timer)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if let body, body.readableBytes > 0 { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
    let sent = context.eventLoop.makePromise(of: Void.self)
    sent.futureResult.whenSuccess { bound.value.exchange?.isSent = true }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
  }

  func end(_ error: any Error) {
    isSpent = true
    guard let exchange else { return }
    self.exchange = nil
    exchange.timer.cancel()
    exchange.promise.fail(error)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard exchange != nil else {
      // A server that sends data without a request gets no further request (RFC 9112, section 9.2). Closing TLS may
      // take a while, and what arrives meanwhile must not be read as a response.
      isSpent = true
      context.close(promise: nil)
      return
    }
    switch unwrapInboundIn(data) {
    case .head(let head): receive(head)
    case .body(var part): receive(&part)
    case .end: complete()
    }
  }

  private func receive(_ head: HTTPResponseHead) {
    guard let exchange else { return }
    // NIO's decoder drops 100 Continue and similar (RFC 9110, section 15.2); what remains is a change of protocol.
    guard head.status.code >= 200 else {
      end(PinHTTPError.invalidResponse("status \(head.status.code) wasn't asked for"))
      return
    }
    let length = head.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
    guard exchange.method == .HEAD || length <= exchange.limit else {
      end(PinHTTPError.responseTooLong(limit: exchange.limit))
      return
    }
    self.exchange?.response = PinHTTPResponse(status: head.status, headers: head.headers, body: ByteBuffer())
    self.exchange?.mayBeKept = head.isKeepAlive
  }

  private func receive(_ part: inout ByteBuffer) {
    guard let exchange else { return }
    let count = (exchange.response?.body.readableBytes ?? 0) + part.readableBytes
    guard count <= exchange.limit else {
      end(PinHTTPError.responseTooLong(limit: exchange.limit))
      return
    }
    self.exchange?.response?.body.writeBuffer(&part)
  }

  private func complete() {
    guard let exchange, let response = exchange.response else { return }
    self.exchange = nil
    exchange.timer.cancel()
    exchange.promise.succeed((response, exchange.mayBeKept && exchange.isSent))
  }

  func channelInactive(context: ChannelHandlerContext) {
    end(PinHTTPError.closedEarly(nothingReceived: exchange?.response == nil))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case is PinnedTLSError: end(error)
    case HTTPParserError.invalidEOFState: end(PinHTTPError.closedEarly(nothingReceived: exchange?.response == nil))
    case is HTTPParserError: end(PinHTTPError.invalidResponse("\(error)"))
    // As without a clean end of TLS: a body without a length may be incomplete.
    default: end(PinHTTPError.closedEarly(nothingReceived: exchange?.response == nil))
    }
    context.close(promise: nil)
  }
}
#endif
