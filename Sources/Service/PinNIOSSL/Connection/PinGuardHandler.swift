#if NIOSSL
package import NIOCore
import NIOSSL
import NIOTLS
import PinFormat
import PinValidator

/// Is behind the TLS handler: nothing passes before the decision, nothing once a manifest in force refuses, and
/// the refusal is a typed error.
///
/// It can't be removed from the pipeline. NIOSSL asks its callback in full handshakes only. A server resumes sessions
/// without asking, so anybody who comes without a decision is decided on here, before the application is notified of the
/// handshake.
package final class PinGuardHandler: ChannelDuplexHandler {
  package typealias InboundIn = ByteBuffer
  package typealias InboundOut = ByteBuffer
  package typealias OutboundIn = ByteBuffer
  package typealias OutboundOut = ByteBuffer

  /// What was served in an earlier handshake by the peer that has resumed its session; nil where it isn't known.
  typealias Recollection = (NIOSSLCertificate) -> [[UInt8]]?

  private let connection: PinnedConnection
  private let connections: OpenConnections
  private let timers: HandshakeTimers
  private let tls: NIOSSLHandler
  private let recall: Recollection
  private var state = State.waiting
  private var context: ChannelHandlerContext?
  /// The number under which the handshake's end is waited for, and where.
  private var timer: (number: Int, waiting: HandshakeTimers.Waiting)?
  private var heldWrites: [(data: NIOAny, promise: EventLoopPromise<Void>?)] = []
  private var heldInbound: [Inbound] = []
  private var holdsFlush = false
  private var heldCloses: [EventLoopPromise<Void>?] = []
  private var holdsRead = false

  private enum State {
    case waiting
    case decidingOnResumption
    case open
    case refused
    case ended
  }

  private enum Inbound {
    case data(NIOAny)
    case event(Any)
  }

  init(
    _ connection: PinnedConnection, among connections: OpenConnections, timers: HandshakeTimers, tls: NIOSSLHandler,
    recall: @escaping Recollection = { _ in nil }
  ) {
    self.connection = connection
    self.connections = connections
    self.timers = timers
    self.tls = tls
    self.recall = recall
  }

  package func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    connection.setStop { error in
      let (handler, context) = bound.value
      if handler.state == .open { handler.refuse(context, error) }
    }
    if context.channel.isActive { startTimer(context) }
  }

  package func channelActive(context: ChannelHandlerContext) {
    startTimer(context)
    context.fireChannelActive()
  }

  package func channelInactive(context: ChannelHandlerContext) {
    end(context)
    context.fireChannelInactive()
  }

  package func handlerRemoved(context: ChannelHandlerContext) {
    end(context)
    self.context = nil
  }

  package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard state == .waiting, let completed = event as? TLSUserEvent, case .handshakeCompleted = completed else {
      // Events are held too, because the end of input must not overtake held data.
      if state == .decidingOnResumption {
        heldInbound.append(.event(event))
      } else {
        context.fireUserInboundEventTriggered(event)
      }
      return
    }
    if connection.allowance == nil, connection.error == nil {
      decideOnResumption(context, completed)
    } else {
      conclude(context, completed)
    }
  }

  package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch state {
    case .open: if mayPass(context) { context.fireChannelRead(data) }
    case .waiting, .decidingOnResumption: heldInbound.append(.data(data))
    case .refused, .ended: break
    }
  }

  package func read(context: ChannelHandlerContext) {
    // The handshake needs reads; only application data waits.
    if state == .decidingOnResumption { holdsRead = true } else { context.read() }
  }

  package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch state {
    case .open where mayPass(context): context.write(data, promise: promise)
    case .waiting, .decidingOnResumption: heldWrites.append((data, promise))
    case .open, .refused, .ended:
      promise?.fail(connection.error ?? PinnedTLSError(.closed, "the connection was closed"))
    }
  }

  package func flush(context: ChannelHandlerContext) {
    // Data that was written before a manifest took effect isn't sent if it now blocks.
    if state == .open, mayPass(context) { context.flush() } else { holdsFlush = true }
  }

  package func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    // Closing the output waits for held data; closing the connection doesn't.
    if mode == .output, state == .waiting || state == .decidingOnResumption {
      heldCloses.append(promise)
    } else {
      context.close(mode: mode, promise: promise)
    }
  }

  package func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard state == .waiting else {
      context.fireErrorCaught(error)
      return
    }
    // If our callback returned `failed`, NIOSSL reports a verification failure of BoringSSL here.
    let reason = connection.fail(
      error as? PinnedTLSError ?? PinnedTLSError(.handshakeFailed, "the TLS handshake failed", cause: error))
    refuse(context, reason)
  }

  private func open(_ context: ChannelHandlerContext, _ decision: Decision, _ event: TLSUserEvent) {
    state = .open
    stopTimer()
    connections.add(connection)
    // A manifest may have taken effect after the decision.
    guard mayPass(context) else { return }
    sendHeld(context)
    guard state == .open else { return }
    connection.succeed(decision)
    context.fireUserInboundEventTriggered(event)
    let inbound = heldInbound
    heldInbound = []
    for each in inbound {
      switch each {
      case .data(let data): channelRead(context: context, data: data)
      case .event(let event): context.fireUserInboundEventTriggered(event)
      }
    }
    if !inbound.isEmpty { context.fireChannelReadComplete() }
    if holdsRead { context.read() }
  }

  /// What was written first goes first, whatever is written by those who hear next that the connection may be used.
  private func sendHeld(_ context: ChannelHandlerContext) {
    let writes = heldWrites
    let closes = heldCloses
    heldWrites = []
    heldCloses = []
    for held in writes { write(context: context, data: held.data, promise: held.promise) }
    if holdsFlush { flush(context: context) }
    for promise in closes { context.close(mode: .output, promise: promise) }
  }

  /// Whether data may pass: the manifest in force is asked where it isn't the one that was asked last.
  ///
  /// So nothing passes from the moment at which a manifest takes effect that refuses, however long it takes until all
  /// connections are checked.
  private func mayPass(_ context: ChannelHandlerContext) -> Bool {
    guard let error = connection.refusal(), error.code != .closed else { return true }
    state = .refused
    // On a later turn of the event loop, because other handlers may be in the middle of a write.
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    context.eventLoop.execute {
      let (handler, context) = bound.value
      handler.refuse(context, error)
    }
    return false
  }

  private func refuse(_ context: ChannelHandlerContext, _ error: PinnedTLSError) {
    state = .refused
    stopTimer()
    let reason = connection.fail(error)
    dropHeld(reason)
    context.fireErrorCaught(reason)
    context.close(promise: nil)
  }

  private func decideOnResumption(_ context: ChannelHandlerContext, _ event: TLSUserEvent) {
    guard let leaf = tls.peerCertificate, let served = recall(leaf) else {
      refuse(context, PinnedTLSError(.unverified, "there was no decision on what was presented in the handshake"))
      return
    }
    let version = PinFormat.TLSVersion(tls.tlsVersion)
    if connection.decideAtOnce(served, version: version) { return conclude(context, event) }
    state = .decidingOnResumption
    let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
    connection.evaluate(.bytes(served), version: version).assumeIsolated().whenComplete { _ in
      if self.state == .decidingOnResumption { self.conclude(bound.value, event) }
    }
  }

  /// Opens the connection where the decision allows it.
  private func conclude(_ context: ChannelHandlerContext, _ event: TLSUserEvent) {
    if let decision = connection.allowance {
      open(context, decision, event)
    } else {
      refuse(context, connection.error ?? PinnedTLSError(.unverified, "nothing was decided on what was presented"))
    }
  }

  private func startTimer(_ context: ChannelHandlerContext) {
    guard timer == nil, state == .waiting else { return }
    let waiting = timers.waiting(on: context.eventLoop)
    timer = (waiting.begin(self), waiting)
  }

  /// The handshake has taken too long.
  func timeOut() {
    guard let context, state == .waiting || state == .decidingOnResumption else { return }
    let most = timers.timeout.nanoseconds / 1_000_000
    refuse(context, PinnedTLSError(.timedOut, "the TLS handshake took more than \(most) ms"))
  }

  private func stopTimer() {
    if let timer { timer.waiting.end(timer.number) }
    timer = nil
  }

  private func end(_ context: ChannelHandlerContext) {
    guard state != .ended else { return }
    state = .ended
    stopTimer()
    connections.remove(connection)
    connection.noteClosed()
    dropHeld(connection.error ?? PinnedTLSError(.closed, "the connection was closed"))
  }

  private func dropHeld(_ error: PinnedTLSError) {
    let promises = heldWrites.map { $0.promise } + heldCloses
    heldWrites = []
    heldInbound = []
    heldCloses = []
    for promise in promises { promise?.fail(error) }
  }
}
#endif
