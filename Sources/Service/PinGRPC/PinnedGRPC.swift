#if GRPC
public import GRPCCore
public import GRPCNIOTransportHTTP2
public import NIOCore
public import NIOPosix
import NIOSSL
import PinFormat
public import PinNIOSSL

extension PinnedTLS {
  /// Makes a gRPC client transport whose connections are pinned.
  ///
  /// Every connection that the transport makes is decided on in its handshake, with the version that was negotiated,
  /// and is dropped when a manifest takes effect that refuses it; gRPC then connects again. A call that has to wait for
  /// a connection that is refused fails as gRPC says, `unavailable`, or goes on waiting where the call asks for that;
  /// `onRefusal` gets the reason.
  ///
  /// The TLS configuration is this object's own; its application protocols must have `h2` (RFC 9113, section 3.2).
  ///
  /// - Parameters:
  ///   - target: What is resolved to the addresses to connect to.
  ///   - host: The name or address that the connections are for, which is what the manifest and the certificate are
  ///     asked about. A name goes into `:authority` too, unless `config.http2.authority` says otherwise.
  ///   - port: The port that the connections are for.
  ///   - config: The transport's configuration.
  ///   - serviceConfig: How to connect and balance the load.
  ///   - eventLoopGroup: Where connections run.
  ///   - onRefusal: Called for each connection that is refused or dropped, on its event loop; must not block.
  /// - Returns: The transport.
  /// - Throws: ``PinnedGRPCError`` where the configuration can't be pinned; gRPC's own error for a target that it can't
  ///   resolve.
  public func grpcTransport(
    target: any ResolvableTarget, host: String, port: UInt16, config: HTTP2ClientTransport.Posix.Config = .defaults,
    serviceConfig: ServiceConfig = ServiceConfig(),
    eventLoopGroup: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
    onRefusal: @escaping @Sendable (PinnedTLSError) -> Void = { _ in }
  ) throws -> HTTP2ClientTransport.Posix {
    guard context.configuration.applicationProtocols.contains("h2") else { throw PinnedGRPCError.noHTTP2 }
    var config = config
    // For addresses gRPC's own authority is right, and gRPC rejects an address here.
    if config.http2.authority == nil, (try? NIOCore.SocketAddress(ipAddress: host, port: 0)) == nil {
      config.http2.authority = port == 443 ? host : "\(host):\(port)"
    }
    let further = config.channelDebuggingCallbacks.onCreateTCPConnection
    config.channelDebuggingCallbacks.onCreateTCPConnection = { channel in
      channel.eventLoop.makeCompletedFuture {
        // gRPC's handler uses the same callback, but doesn't know the TLS version and can't drop connections later. If
        // there were no such handler, this would throw, and nothing would be connected.
        let pipeline = channel.pipeline.syncOperations
        pipeline.removeHandler(try pipeline.handler(type: NIOSSLClientHandler.self), promise: nil)
        try self.addHandlers(to: channel, host: host, port: port, position: .first).onRefusal(onRefusal)
      }.flatMap { further?(channel) ?? channel.eventLoop.makeSucceededVoidFuture() }
    }
    let callback = verificationCallback(host: host, port: port, leastVersion: .tls12)
    let security = HTTP2ClientTransport.Posix.TransportSecurity.tls { tls in
      tls.serverCertificateVerification = .noHostnameVerification
      tls.customVerificationCallback = callback
      // Used only if the callback isn't installed; then nobody may be trusted.
      tls.trustRoots = .certificates([])
    }
    return try HTTP2ClientTransport.Posix(
      target: target, transportSecurity: security, config: config, serviceConfig: serviceConfig,
      eventLoopGroup: eventLoopGroup)
  }
}

/// Why a gRPC transport isn't made.
public enum PinnedGRPCError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The TLS configuration's application protocols lack `h2`.
  case noHTTP2

  /// What is wrong and what to do.
  public var description: String {
    switch self {
    case .noHTTP2: "the TLS configuration's application protocols lack h2; set `applicationProtocols` to [\"h2\"]"
    }
  }
}
#endif
