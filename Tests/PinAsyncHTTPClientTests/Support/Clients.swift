#if AsyncHTTPClient
import AsyncHTTPClient
import NIOCore
import NIOSSL
import PinAsyncHTTPClient
import PinValidator
import Testing
import TransportSupport

/// The two versions of HTTP that AsyncHTTPClient speaks over TLS.
enum HTTPKind: String, CaseIterable, Sendable {
  case http1 = "http/1.1"
  case http2 = "h2"

  /// A server of this version that counts the requests that reach it.
  func server(counting requests: RequestCounter, answering: Answering = .whole) async throws -> TransportServer {
    try await TransportServer.start(
      configure: { $0.applicationProtocols = [rawValue] },
      application: self == .http1
        ? answersHTTP1(answering, counting: requests) : answersHTTP2(answering, counting: requests))
  }
}

/// The authority that issued the servers' certificates, which AsyncHTTPClient doesn't show.
func issuingAuthority() throws -> [NIOSSLCertificate] {
  try NIOSSLCertificate.fromPEMFile(TransportFixtures.path("policy/keys/issuing.pem"))
}

/// Runs a test with a client that finds all hosts on loopback, and is shut down at its end.
func withClient<Result>(
  _ store: PinStore, _ options: PinnedAsyncHTTPClient.Options,
  _ change: (inout HTTPClient.Configuration) -> Void = { _ in },
  _ body: (PinnedAsyncHTTPClient) async throws -> Result
) async throws -> Result {
  var configuration = HTTPClient.Configuration()
  for row in TransportFixtures.hosts { configuration.dnsOverride[row.host] = "127.0.0.1" }
  change(&configuration)
  let client = try PinnedAsyncHTTPClient(store: store, configuration: configuration, options: options)
  do {
    let result = try await body(client)
    try await client.shutdown()
    return result
  } catch {
    try? await client.shutdown()
    throw error
  }
}

extension PinnedAsyncHTTPClient {
  /// Fetches a page and answers its text.
  func get(_ host: String, at server: TransportServer) async throws -> String {
    let request = HTTPClientRequest(url: "https://\(host):\(server.port)/")
    let response = try await execute(request, timeout: .seconds(30))
    return String(buffer: try await response.body.collect(upTo: 1 << 20))
  }
}

extension PinnedAsyncHTTPClient {
  /// Expects that a host is let through.
  func expectHello(from host: String, at server: TransportServer) async throws {
    let text = try await get(host, at: server)
    #expect(text == "hello")
  }

  /// Waits until no more connections are open than these, and AsyncHTTPClient knows it.
  func hasOnly(_ count: Int) async {
    while openConnections > count { try? await Task.sleep(for: .milliseconds(1)) }
  }
}
#endif
