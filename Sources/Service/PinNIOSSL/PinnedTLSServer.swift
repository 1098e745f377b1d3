#if NIOSSL
public import NIOCore
public import NIOPosix
public import NIOSSL
import PinFormat
public import PinValidator

/// Pins the clients that connect to a SwiftNIO server: each must present a certificate, which is judged under one entry
/// of the manifest.
///
/// Where no entry pins them, all are refused.
///
/// A server resumes sessions without asking for the certificate again. Anybody who resumes is decided on again by what
/// it presented earlier, before the application is notified.
public final class PinnedTLSServer: Sendable {
  /// The store that is asked.
  public var store: PinStore { judge.store }
  /// What handshakes are made with.
  public let context: NIOSSLContext
  /// The entry of the manifest that governs clients.
  public let entry: String
  /// How long a handshake may take, the evaluation included.
  public var handshakeTimeout: TimeAmount { timers.timeout }

  private let name: PeerName
  private let judge: PeerJudge
  private let connections: OpenConnections
  private let timers: HandshakeTimers
  private let leastVersion: PinFormat.TLSVersion?
  private let presented = PresentedChains()

  /// Prepares TLS for connections from clients.
  ///
  /// - Parameters:
  ///   - store: What decides.
  ///   - configuration: The server's certificate and key, and everything else about TLS. Its `certificateVerification`
  ///     must ask for client certificates, which `TLSConfiguration.makeServerConfiguration` doesn't unless told.
  ///   - entry: The host of the manifest's entry that governs clients; it need not be the name of anything.
  ///   - port: The port under which clients stand, where the entry names one.
  ///   - pool: The threads on which chains are evaluated, running. Unless given, NIO's own for blocking work.
  ///   - handshakeTimeout: How long a handshake may take.
  /// - Throws: ``PinnedTLSError`` of code `configuration` where the configuration would go around the decision.
  public init(
    store: PinStore, configuration: TLSConfiguration, clientsUnder entry: String, port: UInt16 = 443,
    pool: NIOThreadPool = .singleton, handshakeTimeout: TimeAmount = .seconds(10)
  ) throws(PinnedTLSError) {
    let configuration = try configuration.pinned(as: .server)
    do {
      context = try NIOSSLContext(configuration: configuration)
    } catch {
      throw PinnedTLSError(.configuration, "NIOSSL rejects the configuration", cause: error)
    }
    judge = PeerJudge(store: store, pool: pool)
    connections = OpenConnections(store: store)
    name = PeerName(peer: .client, host: entry, port: port)
    leastVersion = configuration.leastVersion
    self.entry = entry
    timers = HandshakeTimers(handshakeTimeout)
  }

  /// Puts TLS into the pipeline of a connection that was accepted, as in a bootstrap's child initialiser.
  ///
  /// - Parameters:
  ///   - channel: The channel; called on its event loop.
  ///   - position: Where in the pipeline TLS goes; handlers after it see plain text.
  /// - Returns: What is known of the connection.
  /// - Throws: ``PinnedTLSError`` of code `closed` where the channel has closed.
  @discardableResult
  public func addHandlers(
    to channel: any Channel, position: ChannelPipeline.SynchronousOperations.Position = .last
  ) throws -> PinnedConnection {
    let connection = PinnedConnection(channel, to: name, judge: judge, leastVersion: leastVersion)
    let reference = HandlerReference()
    let handler = NIOSSLServerHandler(
      context: context,
      customVerificationCallbackWithMetadata: { [presented] certificates, answer in
        let judged = connection.evaluate(.parsed(certificates), version: reference.version)
        judged.whenSuccess { if $0.isAllowed { presented.keep($0.handshake.certificates) } }
        judged.map { $0.verification }.cascade(to: answer)
      })
    reference.handler = handler
    let guardian = PinGuardHandler(
      connection, among: connections, timers: timers, tls: handler,
      recall: { [presented] in presented.chain(of: $0) })
    try connection.add([handler, guardian], position)
    return connection
  }

  /// A callback for a transport that makes its own TLS handler, until ``addHandlers(to:position:)`` replaces it.
  ///
  /// It isn't called for resumed sessions.
  ///
  /// - Returns: The callback.
  package func verificationCallback()
    -> @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResultWithMetadata>) -> Void
  {
    judge.callback(for: name, leastVersion: leastVersion)
  }

  /// Closes each open connection that the manifest in force refuses by now, as after an expiry.
  ///
  /// A manifest that takes effect does so by itself.
  ///
  /// - Returns: How many were closed.
  @discardableResult
  public func dropRefusedConnections() -> Int { connections.dropRefused() }

  /// The number of connections that were verified and are open.
  public var openConnections: Int { connections.count }
}
#endif
