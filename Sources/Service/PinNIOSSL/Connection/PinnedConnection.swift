#if NIOSSL
public import NIOCore
import NIOSSL
import NIOConcurrencyHelpers
import PinFormat
public import PinValidator

/// One connection that is pinned: what was decided on it, and for which hosts.
///
/// A decision holds for one host. A connection that is to serve requests for another host as well, as HTTP/2 may do
/// (RFC 9113, section 9.1.1), has to be asked about that host first: ``recheck(host:port:)``.
public final class PinnedConnection: Sendable {
  /// The channel that carries the connection.
  public let channel: any Channel
  /// Succeeds when the handshake is complete and the decision lets the connection go on; fails with ``PinnedTLSError``.
  ///
  /// A connection's promises to write fail with the same error: nothing is sent before.
  public let verified: EventLoopFuture<Decision>

  let name: PeerName
  let judge: PeerJudge
  private let promise: EventLoopPromise<Decision>
  private let leastVersion: PinFormat.TLSVersion?
  private let state = NIOLockedValueBox(State())

  private struct State: Sendable {
    var served: [[UInt8]] = []
    var version: PinFormat.TLSVersion?
    var decision: Decision?
    /// What holds for the hosts of this connection, by name and port.
    var holds: [PeerName: Decision] = [:]
    /// The manifest that was asked last about all of these.
    var asked: LoadedManifest?
    var isClosed = false
    var error: PinnedTLSError?
    var toldOfRefusal: (@Sendable (PinnedTLSError) -> Void)?
    /// Has the guard let nothing pass any more.
    var stop: (@Sendable (PinnedTLSError) -> Void)?
  }

  init(_ channel: any Channel, to name: PeerName, judge: PeerJudge, leastVersion: PinFormat.TLSVersion?) {
    self.channel = channel
    self.name = name
    self.judge = judge
    self.leastVersion = leastVersion
    promise = channel.eventLoop.makePromise()
    verified = promise.futureResult
  }

  /// What was decided in the handshake; nil before.
  public var decision: Decision? { state.withLockedValue { $0.decision } }

  /// Why the connection was refused or dropped; nil as long as it wasn't.
  public var error: PinnedTLSError? { state.withLockedValue { $0.error } }

  /// Calls a function with the reason if the connection is refused or dropped; not if it merely ends.
  ///
  /// - Parameter body: Called once at most, on the event loop, when nothing passes any more; must not block.
  public func onRefusal(_ body: @escaping @Sendable (PinnedTLSError) -> Void) {
    state.withLockedValue { $0.toldOfRefusal = body }
  }

  /// Evaluates what was served in the handshake for another host, before a request for it goes over this connection.
  ///
  /// From then on the connection is dropped as well when a manifest takes effect that doesn't let it go on for that host.
  ///
  /// - Parameters:
  ///   - host: The host that the request is for.
  ///   - port: The port that the request is for.
  /// - Returns: The decision; it fails with ``PinnedTLSError`` where it is to cancel. The connection stays open then,
  ///   unless a manifest took effect meanwhile that drops it.
  public func recheck(host: String, port: UInt16) -> EventLoopFuture<Decision> {
    let (served, version) = state.withLockedValue { ($0.served, $0.version) }
    guard !served.isEmpty else {
      return channel.eventLoop.makeFailedFuture(
        PinnedTLSError(.unverified, "the connection's chain isn't known yet"))
    }
    let other = PeerName(peer: name.peer, host: host, port: port)
    return judge.evaluate(.bytes(served), from: other, version: version, on: channel.eventLoop).flatMapThrowing {
      let decision = $0.decision
      guard $0.isAllowed else { throw PinnedTLSError(decision) }
      self.state.withLockedValue { $0.holds[other] = decision }
      // A manifest that took effect meanwhile is checked for this host too, here or by the activation.
      if self.dropIfRefused(), let error = self.error { throw error }
      return decision
    }
  }

  // MARK: The handshake

  /// Puts the handlers of the connection into its channel, or fails it.
  func add(
    _ handlers: [any ChannelHandler], _ position: ChannelPipeline.SynchronousOperations.Position
  ) throws(PinnedTLSError) {
    do {
      try channel.pipeline.syncOperations.addHandlers(handlers, position: position)
    } catch {
      throw fail(PinnedTLSError(.closed, "the channel takes no handlers", cause: error))
    }
  }

  /// Answers NIOSSL's question.
  func verify(
    _ served: HandshakeCertificates, version: PinFormat.TLSVersion?,
    _ answer: EventLoopPromise<NIOSSLVerificationResultWithMetadata>
  ) {
    evaluate(served, version: version).map { $0.verification }.cascade(to: answer)
  }

  /// Evaluates and remembers; what can't be evaluated is remembered as the error.
  func evaluate(_ served: HandshakeCertificates, version: PinFormat.TLSVersion?) -> EventLoopFuture<Judgement> {
    let judged = judge.evaluate(served, from: name, version: version ?? leastVersion, on: channel.eventLoop) {
      !self.state.withLockedValue { $0.isClosed }
    }
    judged.whenComplete { self.remember($0) }
    return judged
  }

  /// Decides without waiting; false where evaluating the chain may take long.
  func decideAtOnce(_ served: [[UInt8]], version: PinFormat.TLSVersion?) -> Bool {
    guard let judgement = judge.judgeAtOnce(served, from: name, version: version ?? leastVersion) else { return false }
    remember(.success(judgement))
    return true
  }

  private func remember(_ result: Result<Judgement, any Error>) {
    state.withLockedValue { state in
      switch result {
      case .success(let judgement) where judgement.isAllowed:
        state.served = judgement.handshake.certificates
        state.version = judgement.handshake.tlsVersion
        state.decision = judgement.decision
        state.holds[name] = judgement.decision
        state.asked = judgement.decision.manifest
      case .success(let judgement):
        state.decision = judgement.decision
        state.error = PinnedTLSError(judgement.decision)
      case .failure(let error):
        state.error =
          error as? PinnedTLSError ?? PinnedTLSError(.unverified, "the evaluation could not be run", cause: error)
      }
    }
  }

  /// What lets the connection go on; nil where nothing does.
  var allowance: Decision? { state.withLockedValue { $0.error == nil ? $0.holds[name] : nil } }

  func succeed(_ decision: Decision) { promise.succeed(decision) }

  /// Names what stops the connection, called on the event loop.
  func setStop(_ body: @escaping @Sendable (PinnedTLSError) -> Void) { state.withLockedValue { $0.stop = body } }

  /// Notes why the connection ends; only the first reason is kept and told.
  ///
  /// - Returns: That reason.
  @discardableResult
  func fail(_ error: PinnedTLSError) -> PinnedTLSError {
    let (first, tell) = state.withLockedValue { state in
      let first = state.error ?? error
      state.error = first
      defer { state.toldOfRefusal = nil }
      return (first, first.code == .closed ? nil : state.toldOfRefusal)
    }
    promise.fail(first)
    tell?(first)
    return first
  }

  func noteClosed() {
    state.withLockedValue { state in
      state.isClosed = true
      state.stop = nil
    }
    fail(PinnedTLSError(.closed, "the connection was closed"))
  }

  // MARK: Later manifests

  /// Closes the connection where the manifest in force doesn't let it go on for one of its hosts.
  ///
  /// `PinnedTLS` does so for all connections when a manifest takes effect, and lets no data pass in between. A pool asks
  /// before it uses a connection again, so that the request goes over another one. The chain isn't validated again.
  ///
  /// - Returns: Whether it was closed.
  @discardableResult
  public func dropIfRefused() -> Bool {
    guard error == nil, let error = askManifest() else { return false }
    // The guard stops the data at once and reports the error; a clean TLS shutdown may take longer.
    guard let stop = state.withLockedValue({ $0.stop }) else { return true }
    let loop = channel.eventLoop
    if loop.inEventLoop { stop(error) } else { loop.execute { stop(error) } }
    return true
  }

  /// Throws where the manifest in force refuses who sent a request; the connection may have closed since.
  package func admitRequest() throws(PinnedTLSError) {
    dropIfRefused()
    guard let error else { return }
    if error.code != .closed { throw error }
    if let refusal = askManifest() { throw refusal }
  }

  /// What keeps data from passing; the manifest in force is asked, unless it is the one that was asked last.
  ///
  /// Takes a lock that nobody holds for long, and asks the system for nothing.
  func refusal() -> PinnedTLSError? {
    let manifest = judge.store.validator?.manifest
    let (error, isAsked) = state.withLockedValue { ($0.error, $0.asked === manifest) }
    return error ?? (isAsked ? nil : askManifest())
  }

  /// Asks the manifest in force about each host of the connection, and notes a refusal.
  private func askManifest() -> PinnedTLSError? {
    guard let validator = judge.store.validator else { return nil }
    let instant = judge.store.now
    for (name, decision) in state.withLockedValue({ $0.holds }) {
      guard let error = refusal(of: decision, for: name, by: validator, at: instant) else { continue }
      return state.withLockedValue { state in
        let first = state.error ?? error
        state.error = first
        return first
      }
    }
    state.withLockedValue { $0.asked = validator.manifest }
    return nil
  }

  private func refusal(
    of decision: Decision, for name: PeerName, by validator: Validator, at instant: Instant
  ) -> PinnedTLSError? {
    guard let chain = decision.chain else { return nil }
    let verdict = validator.decide(chain, host: name.host, port: name.port, at: instant, transport: .replaced)
    switch verdict {
    case .allow: return nil
    // A server accepts clients only because of an entry.
    case .notPinned where name.peer == .server: return nil
    case .notPinned, .block:
      return PinnedTLSError(revokedBy: Decision(verdict, by: validator.manifest, on: chain), of: validator.manifest)
    }
  }
}
#endif
