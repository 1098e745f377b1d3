#if Hummingbird
import AsyncHTTPClient
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import PinHummingbird
import PinNIOSSL
import PinValidator
import TransportSupport

/// What a server answered.
struct Answer: Sendable {
  let status: HTTPResponseStatus
  let text: String
}

/// Runs a test with a server that presents `127.0.0.1` and judges clients under `clients.test`.
func withApplication(
  _ store: PinStore, pool: NIOThreadPool = .singleton, counting count: @escaping @Sendable () -> Void,
  _ body: @Sendable (Int) async throws -> Void
) async throws {
  let row = try TransportFixtures.host("127.0.0.1")
  var configuration = TLSConfiguration.makeServerConfiguration(
    certificateChain: try TransportFixtures.chain(of: row), privateKey: try TransportFixtures.key(of: row))
  configuration.certificateVerification = .noHostnameVerification
  let tls = try PinnedTLSServer(
    store: store, configuration: configuration, clientsUnder: "clients.test", pool: pool)
  try await withApplication(server: .pinnedTLS(tls), counting: count, body)
}

/// Runs a test with a server that says who its client is.
func withApplication(
  server: HTTPServerBuilder, counting count: @escaping @Sendable () -> Void,
  _ body: @Sendable (Int) async throws -> Void
) async throws {
  let router = Router(context: ClientIdentityRequestContext.self)
  router.add(middleware: RequiresClientIdentity())
  router.get("/") { _, context in
    count()
    return context.client.map(describe) ?? "nobody"
  }
  let (ports, port) = AsyncStream<Int>.makeStream()
  var logger = Logger(label: "test")
  logger.logLevel = .critical
  let application = Application(
    router: router, server: server, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) }, logger: logger)
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await application.run() }
    for await port in ports {
      try await body(port)
      break
    }
    group.cancelAll()
  }
}

private func describe(_ client: ClientIdentity) -> String {
  guard case .allow(.matched(let match), _) = client.decision.verdict else { return "let in, and matched by no key" }
  let key = client.keyName ?? "an unknown key"
  return "\(key) matched at \(match.certificate), \(client.certificates.count) certificates, \(client.pins.count) pins"
}

/// Fetches a page with a client certificate, or with none.
func get(_ port: Int, as row: TransportCase?) async throws -> Answer {
  var tls = TLSConfiguration.makeClientConfiguration()
  tls.trustRoots = .file(TransportFixtures.path("root.pem"))
  if let row {
    tls.certificateChain = try TransportFixtures.chain(of: row)
    tls.privateKey = try TransportFixtures.key(of: row)
  }
  var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
  configuration.connectionPool.retryConnectionEstablishment = false
  return try await get("https://127.0.0.1:\(port)/", with: configuration)
}

func get(_ url: String, with configuration: HTTPClient.Configuration) async throws -> Answer {
  let client = HTTPClient(configuration: configuration)
  do {
    let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
    let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
    try await client.shutdown()
    return Answer(status: response.status, text: text)
  } catch {
    try? await client.shutdown()
    throw error
  }
}
#endif
