#if Collector
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Holds every request of a connection to a time and a size, whatever it asks for and however it is sent.
///
/// It is between the HTTP codec and the server library, because middleware sees no head that never ends and no body
/// that nobody reads. A request has `requestSeconds` from its first byte to its last; a connection may be silent for
/// `idleSeconds` before and between requests. What goes beyond a limit is answered, if no other answer has begun, and
/// the connection is closed.
final class RequestLimits: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias InboundOut = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart

  /// How long a client has to read the last answer of a connection, and what it may still send meanwhile.
  private static let farewell = (time: TimeAmount.seconds(2), bytes: 4 << 20)

  /// The request that is arriving.
  private enum Arrival {
    /// None is.
    case none
    /// Its first bytes are here.
    case begun
    /// Its head is here, and so many bytes of its body, of which there may be `most`.
    case body(bytes: Int, most: Int)
  }

  private let settings: CollectorSettings
  private let clients: ClientAddress
  private let table: ConnectionTable
  private let refusals: Refusals
  private var id: UInt64?
  private var isProxy = false
  private var arrival = Arrival.none
  /// The bytes on the wire since the request began, or since the last answer of the connection.
  private var wireBytes = 0
  /// How many requests have a head and no whole answer.
  private var unanswered = 0
  /// Whether an answer has begun and not ended.
  private var isAnswering = false
  /// Whether the answer that comes next is the last one.
  private var isLast = false
  /// Whether the last answer was given: nothing is passed on any more.
  private var isOver = false
  private var deadline: Scheduled<Void>?

  init(_ settings: CollectorSettings, _ table: ConnectionTable, _ refusals: Refusals) {
    self.settings = settings
    self.table = table
    self.refusals = refusals
    clients = ClientAddress(settings)
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let remote = context.channel.remoteAddress
    isProxy = clients.isProxy(remote)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let loop = context.eventLoop
    id = table.enter(isProxy ? nil : clients.of(remote)) {
      loop.execute {
        let (limits, context) = bound.value
        limits.end(context, .busy, .serviceUnavailable, "too many connections", retryAfter: 30)
      }
    }
    let pipeline = context.pipeline.syncOperations
    guard id != nil, let decoder = try? pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self),
      (try? pipeline.addHandler(WireBytes(self, context), position: .before(decoder))) != nil
    else {
      isOver = true
      context.close(promise: nil)
      return
    }
    waitForClient(context)
  }

  func handlerRemoved(context: ChannelHandlerContext) { leave() }

  func channelInactive(context: ChannelHandlerContext) {
    giveUpBody(context)
    leave()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    context.fireErrorCaught(isOver ? CutOff() : error)
  }

  /// Bytes have come, before anything is made of them.
  ///
  /// - Returns: Whether they may go on.
  func received(_ count: Int, _ context: ChannelHandlerContext) -> Bool {
    wireBytes += count
    if isOver {
      if wireBytes > Self.farewell.bytes { close(context) }
      return false
    }
    if case .none = arrival, unanswered == 0 {
      arrival = .begun
      wireBytes = count
      waitForClient(context)
    }
    // Twice the limit leaves room for the head and the chunk headers.
    if wireBytes > 2 * settings.maximumBody + 65_536 { refuseSize(context, "the request is too long") }
    return !isOver
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isOver else { return }
    switch unwrapInboundIn(data) {
    case .head(let head): begin(head, context)
    case .body(let buffer): add(buffer.readableBytes, context)
    case .end: finish()
    }
    if !isOver { context.fireChannelRead(data) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    context.fireChannelReadComplete()
    // The connection is closing, and nobody else reads the rest of what arrives.
    if isOver { context.read() }
  }

  private func begin(_ head: HTTPRequest, _ context: ChannelHandlerContext) {
    unanswered += 1
    let most = head.method == .post ? settings.maximumBody : 0
    arrival = .body(bytes: 0, most: most)
    // Already set, unless this request came before the previous one was answered.
    if deadline == nil { waitForClient(context) }
    if head.headerFields[.connection]?.lowercased() == "close" { isLast = true }
    let length = head.headerFields[.contentLength].map { Int($0) ?? .max } ?? 0
    if length > most || most == 0 && head.headerFields[.transferEncoding] != nil {
      return refuseBody(context, most)
    }
    guard isProxy, let id else { return }
    let client = clients.of(context.channel.remoteAddress, head.headerFields)
    if !table.count(id, for: client) {
      end(context, .tooMany, .tooManyRequests, "too many requests at the same time", retryAfter: 30)
    }
  }

  private func add(_ count: Int, _ context: ChannelHandlerContext) {
    guard case .body(let bytes, let most) = arrival else { return }
    arrival = .body(bytes: bytes + count, most: most)
    if bytes + count > most { return refuseBody(context, most) }
    id.map { table.add(count, to: $0) }
  }

  private func finish() {
    arrival = .none
    wireBytes = 0
    deadline?.cancel()
    deadline = nil
    id.map(table.hasArrived)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    // The last answer has been sent.
    guard !isOver else {
      promise?.succeed()
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(var head):
      isAnswering = true
      // If the answer comes before the whole body, the rest of the body isn't read.
      if case .body = arrival, unanswered == 1 { isLast = true }
      if isLast, unanswered <= 1 { head.headerFields[.connection] = "close" }
      if head.headerFields[.connection] == "close" { isLast = true }
      context.write(wrapOutboundOut(.head(head)), promise: promise)
    case .body: context.write(data, promise: promise)
    case .end:
      context.write(data, promise: promise)
      isAnswering = false
      unanswered = max(0, unanswered - 1)
      guard unanswered == 0 else { return }
      id.map { table.wasAnswered($0, isProxy: isProxy) }
      if isLast { sayFarewell(context) } else if case .none = arrival { waitForClient(context) }
    }
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    // Other handlers are done, but the client may still be reading the last answer.
    guard isOver else { return context.close(mode: mode, promise: promise) }
    if mode == .all { context.channel.closeFuture.cascade(to: promise) } else { promise?.succeed() }
  }

  private func waitForClient(_ context: ChannelHandlerContext) {
    id.map(table.waitForClient)
    var seconds = settings.requestSeconds
    if case .none = arrival { seconds = settings.idleSeconds }
    after(.seconds(seconds), context) { limits in
      limits.end(context, .tooSlow, .requestTimeout, "the request takes too long")
    }
  }

  private func after(_ time: TimeAmount, _ context: ChannelHandlerContext, _ act: @escaping (RequestLimits) -> Void) {
    deadline?.cancel()
    deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time) { act(self) }
  }

  private func refuseBody(_ context: ChannelHandlerContext, _ most: Int) {
    refuseSize(context, most == 0 ? "only reports have a body" : "a report has at most \(most) bytes")
  }

  private func refuseSize(_ context: ChannelHandlerContext, _ message: String) {
    end(context, .tooLarge, .contentTooLarge, message)
  }

  /// Ends the connection: with an answer if part of a request is here and nothing else is being answered.
  private func end(
    _ context: ChannelHandlerContext, _ reason: Refusals.Reason, _ status: HTTPResponse.Status, _ message: String,
    retryAfter: Int? = nil
  ) {
    guard !isOver else { return }
    let before: Int
    switch arrival {
    case .none where unanswered == 0: return close(context)
    case .none:
      // The request has arrived completely, and will be answered.
      isLast = true
      return
    case .begun: before = unanswered
    case .body: before = unanswered - 1
    }
    refusals.add(reason)
    guard before == 0, !isAnswering else { return close(context) }
    let problem = Problem(status: status, code: reason.rawValue, message: message, retryAfter: retryAfter)
    var (head, body) = problem.answer
    head.headerFields[.connection] = "close"
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(body)), promise: nil)
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    sayFarewell(context)
  }

  /// Leaves the client time to read the last answer: closing at once with something unread would take it away (RFC 9112
  /// section 9.6).
  private func sayFarewell(_ context: ChannelHandlerContext) {
    isOver = true
    wireBytes = 0
    after(Self.farewell.time, context) { $0.close(context) }
    context.flush()
    context.close(mode: .output, promise: nil)
    giveUpBody(context)
    context.read()
  }

  private func close(_ context: ChannelHandlerContext) {
    isOver = true
    deadline?.cancel()
    giveUpBody(context)
    context.close(promise: nil)
  }

  /// Tells handlers that wait for the rest of a body that it won't come, so the part isn't mistaken for the
  /// whole.
  private func giveUpBody(_ context: ChannelHandlerContext) {
    guard case .body = arrival else { return }
    arrival = .none
    context.fireErrorCaught(CutOff())
  }

  private func leave() {
    isOver = true
    deadline?.cancel()
    if let id { table.leave(id) }
    id = nil
  }
}

/// A request was cut off, which was answered and counted where it happened.
struct CutOff: Error {}
#endif
