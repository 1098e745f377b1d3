#if HTTPClient
public import NIOCore
import NIOConcurrencyHelpers
import NIOHTTP1
public import NIOPosix
import NIOSSL
public import PinNIOSSL

/// A small HTTP/1.1 client over pinned connections, HTTPS only.
///
/// For services that pin authorities, which clients without a verification hook can't. It does one thing: a request,
/// its whole response within a limit and a deadline, over connections that are kept for a while. No redirects, cookies,
/// proxies, compression or HTTP/2: a redirect is returned to the caller, who sends the next request, and the manifest is
/// asked about its host.
///
/// A connection is used for the host and port that it was decided on for, and dropped when a manifest takes effect that
/// refuses it.
public final class PinHTTPClient: Sendable {
  /// What bounds a request.
  public struct Limits: Hashable, Sendable {
    /// How long a request may take, from its start to the last byte of the response.
    public var deadline: TimeAmount = .seconds(30)
    /// The most bytes of a response's body.
    public var responseBytes = 16 << 20
    /// How long a connection that isn't used is kept.
    public var idleTime: TimeAmount = .seconds(30)
    /// The most idle connections that are kept for one host and port.
    public var idleConnections = 4

    /// The defaults.
    public init() {}
  }

  /// What bounds requests unless they say otherwise.
  public let limits: Limits
  private let tls: PinnedTLS
  private let group: any EventLoopGroup
  private let pool: IdleConnections

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - tls: What pins the connections; it has no application protocols, or they include `http/1.1`.
  ///   - limits: What bounds requests.
  ///   - group: Where connections run.
  /// - Throws: ``PinHTTPError/applicationProtocols`` where TLS would agree on another protocol.
  public init(
    _ tls: PinnedTLS, limits: Limits = Limits(), group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton
  ) throws(PinHTTPError) {
    let protocols = tls.context.configuration.applicationProtocols
    guard protocols.isEmpty || protocols == ["http/1.1"] else { throw .applicationProtocols }
    self.tls = tls
    self.limits = limits
    self.group = group
    pool = IdleConnections(limit: limits.idleConnections)
  }

  /// Sends a request and reads the whole response.
  ///
  /// A request that is safe to repeat (RFC 9110, section 9.2.2) is sent once more on a new connection where a kept one
  /// turns out to have been closed before anything of the response came; any other only where nothing of it was sent.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - deadline: How long it may take; unless given, what the client's limits say.
  /// - Returns: The response, whatever its status.
  /// - Throws: ``PinHTTPError``, `PinnedTLSError` where the connection is refused, `CancellationError` where the task was
  ///   cancelled, or NIO's own error where the connection can't be made.
  public func execute(_ request: PinHTTPRequest, deadline: TimeAmount? = nil) async throws -> PinHTTPResponse {
    let head = try request.head()
    let end = NIODeadline.now() + (deadline ?? limits.deadline)
    if let kept = pool.take(request.origin) {
      do {
        return try await exchange(head, request, over: kept, until: end)
      } catch is NothingSent {
        // The server had already closed the idle connection.
      } catch PinHTTPError.closedEarly(nothingReceived: true) where request.isRepeatable {
        // The server closed it while the request was on its way.
      }
    }
    do {
      return try await exchange(head, request, over: try await connect(to: request.origin, until: end), until: end)
    } catch is NothingSent {
      throw PinHTTPError.closedEarly(nothingReceived: true)
    }
  }

  /// Closes the idle connections; requests under way end by themselves, and further ones may be sent.
  public func closeIdleConnections() { pool.closeAll() }

  /// The number of idle connections that are kept.
  public var idleConnections: Int { pool.count }

  private func exchange(
    _ head: HTTPRequestHead, _ request: PinHTTPRequest, over connection: HTTPConnection, until end: NIODeadline
  ) async throws -> PinHTTPResponse {
    let (response, mayBeKept) = try await withTaskCancellationHandler {
      try await connection.exchange(head, body: request.body, limit: limits.responseBytes, until: end).get()
    } onCancel: {
      connection.fail(CancellationError())
    }
    if mayBeKept { pool.put(connection, request.origin, idleTime: limits.idleTime) } else { connection.close() }
    return response
  }

  private func connect(to origin: Origin, until end: NIODeadline) async throws -> HTTPConnection {
    let remaining = end - .now()
    guard remaining > .zero else { throw PinHTTPError.deadlineExceeded }
    let loop = group.next()
    let made = loop.makePromise(of: HTTPConnection.self)
    let prepared = NIOLockedValueBox<HTTPConnection?>(nil)
    let bootstrap = ClientBootstrap(group: loop).connectTimeout(remaining).channelInitializer { [tls] channel in
      channel.eventLoop.makeCompletedFuture {
        let pinned = try tls.addHandlers(to: channel, host: origin.host, port: origin.port)
        let handler = HTTPExchangeHandler()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHTTPClientHandlers(leftOverBytesStrategy: .dropBytes)
        try pipeline.addHandler(handler)
        let connection = HTTPConnection(pinned, NIOLoopBound(handler, eventLoop: channel.eventLoop))
        prepared.withLockedValue { $0 = connection }
      }
    }
    let connecting =
      if let address = origin.address {
        bootstrap.connect(to: address)
      } else {
        bootstrap.connect(host: origin.host, port: Int(origin.port))
      }
    connecting.whenComplete { result in
      switch (result, prepared.withLockedValue { $0 }) {
      case (.success, let connection?): made.succeed(connection)
      case (.success, nil): made.fail(ChannelError.ioOnClosedChannel)
      case (.failure(ChannelError.connectTimeout), _): made.fail(PinHTTPError.deadlineExceeded)
      case (.failure(let error), _): made.fail(error)
      }
    }
    let connection = try await withTaskCancellationHandler {
      try await made.futureResult.get()
    } onCancel: {
      made.fail(CancellationError())
      // The caller doesn't wait for the connection any more.
      connecting.whenSuccess { $0.close(promise: nil) }
    }
    let timer = loop.scheduleTask(deadline: end) { connection.fail(PinHTTPError.deadlineExceeded) }
    defer { timer.cancel() }
    do {
      try await withTaskCancellationHandler {
        _ = try await connection.pinned.verified.get()
      } onCancel: {
        connection.fail(CancellationError())
      }
    } catch {
      throw connection.failure ?? error
    }
    pool.watch(connection, origin)
    return connection
  }
}
#endif
