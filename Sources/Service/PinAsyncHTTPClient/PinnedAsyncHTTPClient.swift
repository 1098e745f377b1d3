#if AsyncHTTPClient
public import AsyncHTTPClient
public import Logging
public import NIOCore
package import NIOPosix
public import NIOSSL
public import PinValidator
import Synchronization

/// AsyncHTTPClient whose connections are decided on before any request is sent on them.
///
/// AsyncHTTPClient has no hook for verification. What it has is called between the handshake and the first request, sees
/// the server's own certificate only, and isn't told the host. So NIOSSL validates, in full and under the store's anchors;
/// the leaf is then decided on as the leaf of that chain; and there is one `HTTPClient` inside for each host and port.
///
/// Entries that need more than the leaf are refused: here when the client is made, and later, when a manifest brings
/// one, by ``execute(_:deadline:logger:)``. With ``Options/intermediates`` they can be decided on. A denied key never
/// stops the client: ``deniedKeysAboveLeaf`` says which of them it can't see.
///
/// Only `https` URLs are taken. Redirects aren't followed; the response says where they lead. Failed connections aren't
/// retried, so that a refusal reaches the caller at once.
public final class PinnedAsyncHTTPClient: Sendable {
  /// The settings of a pinned client besides AsyncHTTPClient's own configuration.
  public struct Options: Sendable {
    /// Where requests will go: the manifest's entries for these must be decidable when the client is made.
    ///
    /// Nil for all entries of the manifest. Requests to further hosts are possible, and asked about one by one.
    public var endpoints: [Endpoint]?
    /// The intermediates by which the servers' certificates were issued, at most 16.
    ///
    /// With them, the path from leaf to anchor is evaluated as if the server had served them, and all pins can be
    /// decided on. A leaf of such an entry by another intermediate is blocked.
    public var intermediates: [NIOSSLCertificate]
    /// How many hosts and ports may be connected to in all; each has an `HTTPClient` of its own.
    public var maximumEndpoints: Int
    /// Called with the entries that a manifest brings and that can't be decided on; requests to their hosts fail.
    ///
    /// On the thread of the update, which it must not block.
    public var onLimits: (@Sendable ([LeafOnlyLimit]) -> Void)?
    /// The threads on which connections are decided on, running.
    package var pool = NIOThreadPool.singleton

    /// Puts options together.
    public init(
      endpoints: [Endpoint]? = nil, intermediates: [NIOSSLCertificate] = [], maximumEndpoints: Int = 1_000,
      onLimits: (@Sendable ([LeafOnlyLimit]) -> Void)? = nil
    ) {
      self.endpoints = endpoints
      self.intermediates = intermediates
      self.maximumEndpoints = maximumEndpoints
      self.onLimits = onLimits
    }
  }

  /// The most intermediates that are taken.
  public static let maximumIntermediates = 16

  /// The store that is asked.
  public let store: PinStore
  private let options: Options
  private let configuration: HTTPClient.Configuration
  private let eventLoopGroup: any EventLoopGroup
  private let connections: ConnectionGuard
  private let refusals = ConnectionRefusals()
  private let clients = Mutex(Clients())

  private struct Clients {
    var byEndpoint: [Endpoint: HTTPClient] = [:]
    var observer: Int?
    var isShutDown = false
  }

  /// Makes a client; it must be shut down.
  ///
  /// - Parameters:
  ///   - store: What decides, and what the anchors are.
  ///   - configuration: Everything else about the client. Its debug initialisers are called after the decision.
  ///   - eventLoopGroup: Where connections live.
  ///   - options: What is pinned, and how.
  /// - Throws: ``PinnedAsyncHTTPClientError`` of code `configuration` where the configuration would take from validation,
  ///   or `undecidable-entry` where an entry of the manifest in force can't be decided on.
  public init(
    store: PinStore, configuration: HTTPClient.Configuration = HTTPClient.Configuration(),
    eventLoopGroup: any EventLoopGroup = HTTPClient.defaultEventLoopGroup, options: Options = Options()
  ) throws(PinnedAsyncHTTPClientError) {
    guard options.intermediates.count <= Self.maximumIntermediates else {
      throw PinnedAsyncHTTPClientError(
        .configuration, "\(options.intermediates.count) intermediates are more than \(Self.maximumIntermediates)")
    }
    let intermediates: [[UInt8]]
    do {
      intermediates = try options.intermediates.map { try $0.toDERBytes() }
    } catch {
      throw PinnedAsyncHTTPClientError(.configuration, "an intermediate can't be written as DER: \(error)")
    }
    self.store = store
    self.options = options
    self.configuration = try configuration.validating(under: store.settings.anchors)
    self.eventLoopGroup = eventLoopGroup
    connections = ConnectionGuard(
      store: store, intermediates: intermediates, pool: options.pool, refusals: refusals)
    let limits = self.limits
    guard limits.isEmpty else { throw PinnedAsyncHTTPClientError(limits) }
    let observer = store.addActivationObserver { [weak self] activation in
      guard case .activated = activation else { return }
      self?.manifestTookEffect()
    }
    clients.withLock { $0.observer = observer }
  }

  /// The entries of the manifest in force that requests may meet and that can't be decided on.
  public var limits: [LeafOnlyLimit] {
    guard let manifest = store.validator?.manifest else { return [] }
    guard let endpoints = options.endpoints else { return manifest.limits(ofLeafOnly: knowledge) }
    return endpoints.compactMap { manifest.limit(ofLeafOnly: knowledge, host: $0.host, port: $0.port) }
  }

  /// Denied keys of the manifest in force that can be above the leaf, where this client can't see them, by name.
  ///
  /// The leaf is compared with them, and each connection is counted as `DecisionEvents.denialsLeafOnly`. Empty with
  /// ``Options/intermediates``, by which the path is built: should that fail, the leaf decides, and is counted.
  public var deniedKeysAboveLeaf: [String] {
    knowledge == .leaf ? store.validator?.manifest.deniedKeysAboveLeaf ?? [] : []
  }

  /// The number of connections that were allowed and are open.
  public var openConnections: Int { connections.openConnections }

  /// Sends a request, on a connection that was decided on.
  ///
  /// - Parameters:
  ///   - request: What to send, to an `https` URL.
  ///   - deadline: When to give up.
  ///   - logger: Where AsyncHTTPClient writes what it does.
  /// - Returns: The response; its body may still be on its way.
  /// - Throws: ``PinnedAsyncHTTPClientError``; `PinnedTLSError` of code `blocked` where the decision was to cancel, with
  ///   nothing of the request sent, or of code `no-longer-holds` where a manifest took effect that refuses the connection,
  ///   as the response's body does, too; or what AsyncHTTPClient throws.
  public func execute(
    _ request: HTTPClientRequest, deadline: NIODeadline, logger: Logger? = nil
  ) async throws -> HTTPClientResponse {
    let endpoint = try Endpoint(url: request.url)
    if let limit = store.validator?.manifest
      .limit(ofLeafOnly: knowledge, host: endpoint.host, port: endpoint.port)
    {
      throw PinnedAsyncHTTPClientError([limit])
    }
    var request = request
    if let own = request.tlsConfiguration {
      request.tlsConfiguration = try own.validating(under: store.settings.anchors)
    }
    let client = try client(for: endpoint)
    let start = NIODeadline.now()
    do {
      return try await client.execute(request, deadline: deadline, logger: logger)
    } catch {
      throw refusals.reason(for: error, of: endpoint, since: start)
    }
  }

  /// Sends a request, and gives up after a time.
  ///
  /// - Parameters:
  ///   - request: What to send, to an `https` URL.
  ///   - timeout: How long to wait for the response's head.
  ///   - logger: Where AsyncHTTPClient writes what it does.
  /// - Returns: The response; its body may still be on its way.
  /// - Throws: As ``execute(_:deadline:logger:)``.
  public func execute(
    _ request: HTTPClientRequest, timeout: TimeAmount, logger: Logger? = nil
  ) async throws -> HTTPClientResponse {
    try await execute(request, deadline: .now() + timeout, logger: logger)
  }

  /// Closes each open connection that the manifest in force refuses by now, as after an expiry.
  ///
  /// Doesn't wait until they are closed. A manifest that takes effect does so by itself.
  public func dropRefusedConnections() { connections.recheck() }

  /// Ends all requests and closes all connections.
  ///
  /// - Throws: What AsyncHTTPClient throws; all clients are shut down nevertheless.
  public func shutdown() async throws {
    let (ended, observer) = clients.withLock { state in
      defer {
        state.byEndpoint = [:]
        state.observer = nil
        state.isShutDown = true
      }
      return (Array(state.byEndpoint.values), state.observer)
    }
    if let observer { store.removeActivationObserver(observer) }
    var failure: (any Error)?
    for client in ended {
      do { try await client.shutdown() } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  private var knowledge: LeafOnlyKnowledge { options.intermediates.isEmpty ? .leaf : .intermediates }

  private func client(for endpoint: Endpoint) throws(PinnedAsyncHTTPClientError) -> HTTPClient {
    try clients.withLock { state throws(PinnedAsyncHTTPClientError) in
      guard !state.isShutDown else { throw PinnedAsyncHTTPClientError(.shutDown, "the client was shut down") }
      if let client = state.byEndpoint[endpoint] { return client }
      guard state.byEndpoint.count < options.maximumEndpoints else {
        throw PinnedAsyncHTTPClientError(
          .tooManyHosts, "the client has connected to \(options.maximumEndpoints) hosts; use several, or allow more")
      }
      var own = configuration
      own.http1_1ConnectionDebugInitializer = connections.initializer(
        for: endpoint, then: configuration.http1_1ConnectionDebugInitializer)
      own.http2ConnectionDebugInitializer = connections.initializer(
        for: endpoint, then: configuration.http2ConnectionDebugInitializer)
      own.http2StreamChannelDebugInitializer = connections.streamInitializer(
        then: configuration.http2StreamChannelDebugInitializer)
      let client = HTTPClient(eventLoopGroup: eventLoopGroup, configuration: own)
      state.byEndpoint[endpoint] = client
      return client
    }
  }

  private func manifestTookEffect() {
    connections.recheck()
    let limits = self.limits
    if !limits.isEmpty { options.onLimits?(limits) }
  }
}
#endif
