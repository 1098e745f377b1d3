#if GRPC
public import GRPCNIOTransportHTTP2
public import NIOPosix
import NIOCore
import NIOSSL
public import PinNIOSSL

extension PinnedTLSServer {
  /// Makes a gRPC server transport whose clients are pinned.
  ///
  /// Each connection is decided on in its handshake, or when it resumes a session, and is dropped when a manifest takes
  /// effect that refuses it. The TLS configuration is this object's own; the certificate and key are given once more in
  /// gRPC's terms, for its handler that this object's replaces.
  ///
  /// - Parameters:
  ///   - address: Where to listen.
  ///   - certificateChain: The server's certificates.
  ///   - privateKey: The key of the first of them.
  ///   - config: The transport's configuration.
  ///   - eventLoopGroup: Where connections run.
  /// - Returns: The transport.
  /// - Throws: ``PinnedGRPCError`` where the configuration can't be pinned.
  public func grpcTransport(
    address: GRPCNIOTransportHTTP2.SocketAddress, certificateChain: [TLSConfig.CertificateSource],
    privateKey: TLSConfig.PrivateKeySource, config: HTTP2ServerTransport.Posix.Config = .defaults,
    eventLoopGroup: MultiThreadedEventLoopGroup = .singleton
  ) throws(PinnedGRPCError) -> HTTP2ServerTransport.Posix {
    guard context.configuration.applicationProtocols.contains("h2") else { throw .noHTTP2 }
    var config = config
    let further = config.channelDebuggingCallbacks.onAcceptTCPConnection
    config.channelDebuggingCallbacks.onAcceptTCPConnection = { channel in
      channel.eventLoop.makeCompletedFuture {
        // gRPC's handler uses the same callback, but accepts resumed sessions without it.
        let pipeline = channel.pipeline.syncOperations
        pipeline.removeHandler(try pipeline.handler(type: NIOSSLServerHandler.self), promise: nil)
        try self.addHandlers(to: channel, position: .first)
      }.flatMap { _ in further?(channel) ?? channel.eventLoop.makeSucceededVoidFuture() }
    }
    let callback = verificationCallback()
    let security = HTTP2ServerTransport.Posix.TransportSecurity.mTLS(
      certificateChain: certificateChain, privateKey: privateKey
    ) { tls in
      tls.customVerificationCallback = callback
      tls.trustRoots = .certificates([])
      tls.requireALPN = true
    }
    return HTTP2ServerTransport.Posix(
      address: address, transportSecurity: security, config: config, eventLoopGroup: eventLoopGroup)
  }
}
#endif
