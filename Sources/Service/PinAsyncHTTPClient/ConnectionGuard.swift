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
  private let pool: NIOThreadPool
  private let refusals: ConnectionRefusals
  private let state = Mutex(State())

  private struct State {
    /// Counts the manifests that took effect.
    var generation = 0
    var open: [ObjectIdentifier: OpenConnection] = [:]
  }

  init(store: PinStore, intermediates: [[UInt8]], pool: NIOThreadPool, refusals: ConnectionRefusals) {
    self.store = store
    self.intermediates = intermediates
    self.pool = pool
    self.refusals = refusals
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
      // AsyncHTTPClient drops its reference, but doesn't close the connection.
      judged.whenFailure { _ in channel.close(promise: nil) }
      guard let next else { return judged }
      return judged.flatMap { next(channel) }
    }
  }

  /// What AsyncHTTPClient calls for each request over HTTP/2, which is a stream of its own.
  func streamInitializer(
    then next: (@Sendable (any Channel) -> EventLoopFuture<Void>)?
  ) -> @Sendable (any Channel) -> EventLoopFuture<Void> {
    { stream in
      let prepared = next?(stream) ?? stream.eventLoop.makeSucceededVoidFuture()
      return prepared.map {
        guard let parent = stream.parent else { return }
        self.state.withLock { $0.open[ObjectIdentifier(parent)] }?.add(stream)
      }
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
    return ask(about: OpenConnection(channel, to: endpoint, presenting: handshake, refusals))
  }

  private func ask(about connection: OpenConnection) -> EventLoopFuture<Void> {
    let (channel, handshake) = (connection.channel, connection.handshake)
    let generation = state.withLock { $0.generation }
    return pool.runIfActive(eventLoop: channel.eventLoop) { [store] in
      let decision = store.evaluate(handshake, transport: .leafOnly)
      guard decision.disposition != .cancel else { throw PinnedTLSError(decision) }
      return decision.manifest
    }.flatMap { (manifest: LoadedManifest?) in
      // Connections are also closed on the event loop, so a dropped connection can't be handed over.
      guard channel.isActive else { return channel.eventLoop.makeFailedFuture(ChannelError.alreadyClosed) }
      let isCurrent = self.state.withLock { state in
        guard state.generation == generation else { return false }
        state.open[ObjectIdentifier(channel)] = connection
        return true
      }
      guard isCurrent else { return self.ask(about: connection) }
      return channel.eventLoop.makeCompletedFuture { try self.adopt(connection, manifest) }
    }
  }

  /// Puts a gate behind TLS, through which requests go from now on.
  ///
  /// Called on the event loop.
  private func adopt(_ connection: OpenConnection, _ manifest: LoadedManifest?) throws {
    let channel = connection.channel
    channel.closeFuture.whenComplete { _ in
      self.state.withLock { $0.open[ObjectIdentifier(channel)] = nil }
    }
    let gate = GateHandler(
      passedBy: manifest,
      asking: { [store] manifest in
        if let error = connection.error { return GateHandler.Answer(manifest: manifest, error: error) }
        return store.refusal(of: connection.handshake, unless: manifest)
      }, refusing: { connection.drop($0) })
    let pipeline = channel.pipeline.syncOperations
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
      // A manifest that takes effect meanwhile causes another recheck.
      for connection in open {
        if let error = store.refusal(of: connection.handshake, unless: nil).error { connection.drop(error) }
      }
    }
  }

  private static func unverified(_ cause: (any Error)?) -> PinnedTLSError {
    PinnedTLSError(.unverified, "the connection shows no certificate that could be decided on", cause: cause)
  }
}
#endif
