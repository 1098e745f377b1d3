#if NIOSSL
public import NIOCore
public import NIOPosix
public import NIOSSL
package import PinFormat
public import PinValidator

/// Pins the servers that a SwiftNIO client connects to.
///
/// NIOSSL's verification callback takes the place of all its verification. Here it has the whole chain that the server
/// sent evaluated, against the system's anchors or what the entry's `trust` says, and decided on; evaluating is done on a
/// thread pool, never on the event loop. A chain that was evaluated in the last minute is only decided on, at once. Every
/// handshake is asked about: NIOSSL's clients don't resume sessions.
///
/// Keep the object as long as its connections: it drops those that a new manifest refuses.
public final class PinnedTLS: Sendable {
  /// The store that is asked.
  public var store: PinStore { judge.store }
  /// What handshakes are made with; its `certificateVerification` and `trustRoots` are Pintle's own.
  public let context: NIOSSLContext
  /// How long a handshake may take, the evaluation included.
  public var handshakeTimeout: TimeAmount { timers.timeout }

  private let judge: PeerJudge
  private let connections: OpenConnections
  private let timers: HandshakeTimers
  private let leastVersion: PinFormat.TLSVersion?

  /// Prepares TLS for connections to servers.
  ///
  /// - Parameters:
  ///   - store: What decides.
  ///   - configuration: Everything else about TLS: application protocols, a client certificate, ciphers. A
  ///     `minimumTLSVersion` below TLS 1.2 is raised to it; trust roots aren't used, as the store has the anchors.
  ///   - pool: The threads on which chains are evaluated, running. Unless given, NIO's own for blocking work.
  ///   - handshakeTimeout: How long a handshake may take.
  /// - Throws: ``PinnedTLSError`` of code `configuration` where the configuration would go around the decision.
  public init(
    store: PinStore, configuration: TLSConfiguration = .makeClientConfiguration(), pool: NIOThreadPool = .singleton,
    handshakeTimeout: TimeAmount = .seconds(10)
  ) throws(PinnedTLSError) {
    let configuration = try configuration.pinned(as: .client)
    do {
      context = try NIOSSLContext(configuration: configuration)
    } catch {
      throw PinnedTLSError(.configuration, "NIOSSL rejects the configuration", cause: error)
    }
    judge = PeerJudge(store: store, pool: pool)
    connections = OpenConnections(store: store)
    leastVersion = configuration.leastVersion
    timers = HandshakeTimers(handshakeTimeout)
  }

  /// Puts TLS into the pipeline of a channel that isn't connected yet, as in a bootstrap's initialiser.
  ///
  /// - Parameters:
  ///   - channel: The channel; called on its event loop.
  ///   - host: The name or address that the connection is for, as ASCII. It is asked about, and sent as server name
  ///     unless it is an address (RFC 6066, section 3), whatever the channel connects to.
  ///   - port: The port that the connection is for.
  ///   - position: Where in the pipeline TLS goes; handlers after it see plain text.
  /// - Returns: What is known of the connection; ``PinnedConnection/verified`` tells when it may be used.
  /// - Throws: ``PinnedTLSError`` of code `configuration` where the host can't be a server name, of code `closed` where
  ///   the channel has closed.
  @discardableResult
  public func addHandlers(
    to channel: any Channel, host: String, port: UInt16,
    position: ChannelPipeline.SynchronousOperations.Position = .last
  ) throws -> PinnedConnection {
    let name = PeerName(peer: .server, host: host, port: port)
    let connection = PinnedConnection(channel, to: name, judge: judge, leastVersion: leastVersion)
    let reference = HandlerReference()
    let handler: NIOSSLClientHandler
    do {
      handler = try NIOSSLClientHandler(
        context: context, serverHostname: Self.serverName(host),
        customVerificationCallbackWithMetadata: { certificates, answer in
          connection.verify(.parsed(certificates), version: reference.version, answer)
        })
    } catch {
      let refusal = connection.fail(PinnedTLSError(.configuration, "'\(host)' can't be a server name", cause: error))
      throw refusal
    }
    reference.handler = handler
    let guardian = PinGuardHandler(connection, among: connections, timers: timers, tls: handler)
    try connection.add([handler, guardian], position)
    return connection
  }

  /// A callback for a transport that makes its own TLS handler, until ``addHandlers(to:host:port:position:)`` replaces
  /// it.
  ///
  /// Not public: nothing could prove that somebody else's handler has called it.
  ///
  /// - Parameters:
  ///   - host: The name or address that the connection is for.
  ///   - port: The port that the connection is for.
  ///   - leastVersion: The version that the handshake can't be below.
  /// - Returns: The callback.
  package func verificationCallback(
    host: String, port: UInt16, leastVersion: PinFormat.TLSVersion? = nil
  ) -> @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResultWithMetadata>) -> Void {
    judge.callback(for: PeerName(peer: .server, host: host, port: port), leastVersion: leastVersion)
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

  /// What goes into the server name extension; nil for addresses.
  private static func serverName(_ host: String) -> String? {
    if (try? SocketAddress(ipAddress: host, port: 0)) != nil { return nil }
    return host.hasSuffix(".") ? String(host.dropLast()) : host
  }
}

extension PeerJudge {
  func callback(
    for name: PeerName, leastVersion: PinFormat.TLSVersion?
  ) -> @Sendable ([NIOSSLCertificate], EventLoopPromise<NIOSSLVerificationResultWithMetadata>) -> Void {
    { certificates, answer in
      evaluate(.parsed(certificates), from: name, version: leastVersion, on: answer.futureResult.eventLoop)
        .map { $0.verification }.cascade(to: answer)
    }
  }
}

/// The handler that a callback belongs to, which is made after the callback.
///
/// Used on its event loop only.
final class HandlerReference {
  weak var handler: NIOSSLHandler?

  /// What was negotiated; certificates come after the version has been agreed on.
  var version: PinFormat.TLSVersion? { PinFormat.TLSVersion(handler?.tlsVersion) }
}
#endif
