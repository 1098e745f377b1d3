#if Hummingbird
public import HummingbirdCore
public import Logging
public import NIOCore
public import PinNIOSSL

/// Puts TLS that judges client certificates in front of what a Hummingbird server does with its connections.
///
/// Hummingbird's own TLS channel takes a verification callback, which isn't asked again when a client resumes a session,
/// and keeps its answer from the handlers. This one asks `PinnedTLSServer` for every connection and remembers who
/// the client is: ``ClientIdentity``.
public struct PinnedTLSChannel<Base: ServerChildChannel>: ServerChildChannel {
  /// What the base makes of a connection, and what is known of its client.
  public struct Value: ServerChildChannelValue {
    let base: Base.Value
    let connection: PinnedConnection

    /// The channel of the connection.
    public var channel: any Channel { base.channel }
  }

  private let base: Base
  private let tls: PinnedTLSServer

  /// Wraps what comes behind TLS.
  ///
  /// - Parameters:
  ///   - base: What comes behind TLS.
  ///   - tls: What judges clients.
  public init(_ base: Base, tls: PinnedTLSServer) {
    self.base = base
    self.tls = tls
  }

  /// Sets a connection up: TLS first, then the base.
  ///
  /// Nothing passes TLS before the client has been let in.
  public func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let connection = try tls.addHandlers(to: channel)
      ClientConnections.note(connection)
      connection.verified.whenFailure { error in
        logger.debug("client refused", metadata: ["reason": "\(error)"])
      }
      return connection
    }.flatMap { connection in
      base.setup(channel: channel, logger: logger).map { Value(base: $0, connection: connection) }
    }
  }

  /// Has the base handle a connection.
  public func handle(value: Value, logger: Logger) async {
    await ClientConnections.$handled.withValue(value.connection) {
      await base.handle(value: value.base, logger: logger)
    }
  }
}

extension PinnedTLSChannel: HTTPChannelHandler where Base: HTTPChannelHandler {
  /// What answers requests.
  public var responder: HTTPChannelHandler.Responder { base.responder }
}

extension HTTPServerBuilder {
  /// A server for HTTP/1.1 over TLS whose clients present certificates that are judged.
  ///
  /// - Parameters:
  ///   - tls: What judges clients.
  ///   - configuration: How HTTP/1.1 is spoken.
  /// - Returns: What `Application` takes as its server.
  public static func pinnedTLS(
    _ tls: PinnedTLSServer, configuration: HTTP1Channel.Configuration = HTTP1Channel.Configuration()
  ) -> HTTPServerBuilder {
    HTTPServerBuilder { responder in
      PinnedTLSChannel(HTTP1Channel(responder: admitting(responder), configuration: configuration), tls: tls)
    }
  }

  /// Asks before each request: what has come in already may wait for the response to an earlier one.
  private static func admitting(_ responder: @escaping HTTPChannelHandler.Responder) -> HTTPChannelHandler.Responder {
    { request, writer, channel in
      try ClientConnections.handled?.admitRequest()
      try await responder(request, writer, channel)
    }
  }
}
#endif
