#if AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL
import PinFormat
import PinNIOSSL
import PinValidator
import Synchronization

/// Decides on each connection between its handshake and its first request, and again whenever a manifest takes effect.
final class ConnectionGuard: Sendable {
  private let store: PinStore
  private let intermediates: [[UInt8]]
  private let pool = NIOThreadPool.singleton
  private let state = Mutex(State())

  private struct State {
    /// Counts the manifests that took effect.
    var generation = 0
    var open: [ObjectIdentifier: Connection] = [:]
  }

  /// An open connection and what its server presented.
  private struct Connection {
    let channel: any Channel
    let handshake: PeerHandshake
  }

  init(store: PinStore, intermediates: [[UInt8]]) {
    self.store = store
    self.intermediates = intermediates
  }

  /// The number of connections that were allowed and are open.
  var openConnections: Int { state.withLock { $0.open.count } }

  /// What AsyncHTTPClient calls for each new connection; a failure ends the connection before any request is sent.
  func initializer(
    for endpoint: PinnedAsyncHTTPClient.Endpoint, then next: (@Sendable (any Channel) -> EventLoopFuture<Void>)?
  ) -> @Sendable (any Channel) -> EventLoopFuture<Void> {
    { channel in
      let judged = channel.nioSSL_peerCertificate().and(channel.nioSSL_tlsVersion())
        .flatMap { certificate, version in
          self.judge(channel, PinFormat.TLSVersion(version), certificate, for: endpoint)
        }
        .flatMapErrorThrowing { error in throw error as? PinnedTLSError ?? Self.unverified(error) }
      // AsyncHTTPClient forgets the connection and leaves it open.
      judged.whenFailure { _ in channel.close(promise: nil) }
      guard let next else { return judged }
      return judged.flatMap { next(channel) }
    }
  }

  private func judge(
    _ channel: any Channel, _ version: PinFormat.TLSVersion?, _ certificate: NIOSSLCertificate?,
    for endpoint: PinnedAsyncHTTPClient.Endpoint
  ) -> EventLoopFuture<Void> {
    let leaf: [UInt8]
    do {
      guard let certificate else { throw Self.unverified(nil) }
      leaf = try certificate.toDERBytes()
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
    let handshake = PeerHandshake(
      host: endpoint.host, port: endpoint.port, certificates: [leaf] + intermediates, tlsVersion: version)
    return ask(handshake, for: channel)
  }

  private func ask(_ handshake: PeerHandshake, for channel: any Channel) -> EventLoopFuture<Void> {
    let generation = state.withLock { $0.generation }
    return pool.runIfActive(eventLoop: channel.eventLoop) { [store] in
      let decision = store.evaluate(handshake, transport: .leafOnly)
      guard decision.disposition != .cancel else { throw PinnedTLSError(decision) }
      return decision.manifest
    }.flatMap { (manifest: LoadedManifest?) in
      // On the event loop, which also closes connections: none can be handed over after it was dropped.
      guard channel.isActive else { return channel.eventLoop.makeFailedFuture(ChannelError.alreadyClosed) }
      let isCurrent = self.state.withLock { state in
        guard state.generation == generation else { return false }
        state.open[ObjectIdentifier(channel)] = Connection(channel: channel, handshake: handshake)
        return true
      }
      guard isCurrent else { return self.ask(handshake, for: channel) }
      return channel.eventLoop.makeCompletedFuture { try self.adopt(channel, handshake, manifest) }
    }
  }

  /// Puts a gate behind TLS, through which requests go from now on.
  ///
  /// Called on the event loop.
  private func adopt(_ channel: any Channel, _ handshake: PeerHandshake, _ manifest: LoadedManifest?) throws {
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { $0.open[ObjectIdentifier(channel)] = nil }
    }
    let pipeline = channel.pipeline.syncOperations
    let gate = GateHandler(passedBy: manifest) { [store] in store.refusal(of: handshake, unless: $0) }
    try pipeline.addHandler(gate, position: .after(try pipeline.handler(type: NIOSSLHandler.self)))
  }

  /// Has each open connection decided on again, and closes those that are refused now.
  ///
  /// Doesn't block.
  func recheck() {
    let open = state.withLock { state in
      state.generation += 1
      return Array(state.open.values)
    }
    guard !open.isEmpty else { return }
    pool.submit { [store] _ in
      // A manifest that takes effect meanwhile asks once more.
      for connection in open {
        if let error = store.refusal(of: connection.handshake, unless: nil).error { connection.channel.drop(error) }
      }
    }
  }

  private static func unverified(_ cause: (any Error)?) -> PinnedTLSError {
    PinnedTLSError(.unverified, "the connection shows no certificate that could be decided on", cause: cause)
  }
}
#endif
