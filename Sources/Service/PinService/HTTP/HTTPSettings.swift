#if Service
public import AsyncHTTPClient
import NIOCore
public import NIOSSL

/// How the service's own requests are made: fetching manifests and sending reports.
///
/// These connections are validated as AsyncHTTPClient does it, by the system's trust anchors and the host's name (WebPKI),
/// with TLS 1.2 at least. Fetches are not governed by pins besides, see ``ManifestFetcher``; reports are.
public struct HTTPSettings: Sendable {
  /// Anchors that count besides the system's, such as those of an organisation's own CA.
  public var additionalTrustRoots: [NIOSSLCertificate]
  /// The proxy to go through; nil for none.
  ///
  /// The process's environment is not asked for one, as AsyncHTTPClient doesn't.
  public var proxy: HTTPClient.Configuration.Proxy?
  /// How long a connection may take to be established, before the next URL is tried.
  public var connectTimeout: Duration
  /// What is in the header field `User-Agent`; a version of the service has no place in it.
  public var userAgent: String

  /// Puts settings together: the system's anchors only, no proxy, 10 seconds to connect.
  public init() {
    additionalTrustRoots = []
    proxy = nil
    connectTimeout = .seconds(10)
    userAgent = "pintle"
  }

  /// A client for these settings, which its owner has to shut down.
  ///
  /// Redirects are not followed and encoded bodies are not decoded by it: ``BoundedHTTP`` says what becomes of them.
  func makeClient(_ adjust: (inout HTTPClient.Configuration) -> Void = { _ in }) -> HTTPClient {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    if !additionalTrustRoots.isEmpty { tls.additionalTrustRoots = [.certificates(additionalTrustRoots)] }
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: TimeAmount(connectTimeout)), proxy: proxy, decompression: .disabled)
    // No retry of the connection: the next URL and the schedule are the retry.
    configuration.connectionPool.retryConnectionEstablishment = false
    // Requests are minutes apart, so idle connections would only go stale.
    configuration.connectionPool.idleTimeout = .seconds(5)
    adjust(&configuration)
    return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
  }
}
#endif
