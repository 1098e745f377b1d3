#if Service && HTTPClient && Hummingbird
import Configuration
import Glibc
import Hummingbird
import Logging
import NIOCore
import PinHTTPClient
import PinNIOSSL
import PinService
import ServiceLifecycle
import UnixSignals

/// A complete service: it fetches and keeps its manifest, pins the server behind it, counts, logs and reports.
///
/// Everything is configured by the environment: what begins with `PINTLE_` is described in docs/service.md.
@main struct Service {
  static func main() async {
    let logger = Logger(label: "pinned-service")
    do {
      try await run(logger)
    } catch {
      logger.critical("the service can't run", metadata: ["reason": "\(error)"])
      exit(1)
    }
  }

  private static func run(_ logger: Logger) async throws {
    let configuration = ConfigReader(provider: EnvironmentVariablesProvider())
    let pintle = try PintleService(configuration: configuration, logger: logger)

    guard let port = UInt16(exactly: configuration.int(forKey: "upstream.port", default: 443)), port > 0 else {
      throw ServiceError.noPort("UPSTREAM_PORT is from 1 to 65535")
    }
    let upstream = PinHTTPRequest(host: try configuration.requiredString(forKey: "upstream.host"), port: port)
    let client = try PinHTTPClient(try PinnedTLS(store: pintle.store))

    let router = Router()
    router.get("/") { _, _ in
      do {
        return String(buffer: try await client.execute(upstream).body)
      } catch let refusal as PinnedTLSError {
        // The caller of this service needn't know why; the log, the metrics and the report do.
        logger.error("upstream refused", metadata: ["reason": "\(refusal)"])
        throw HTTPError(.badGateway)
      }
    }
    router.get("/health") { _, _ in
      guard case .degraded(let reasons) = pintle.status.health else { return "ready\n" }
      return "degraded: " + reasons.map(\.description).joined(separator: "; ") + "\n"
    }

    let address = BindAddress.hostname("127.0.0.1", port: configuration.int(forKey: "http.port", default: 8080))
    let server = Application(router: router, configuration: ApplicationConfiguration(address: address), logger: logger)
    // Shut down in reverse order: the server finishes its requests before the manifest's service stops.
    let group = ServiceGroup(
      services: [pintle, server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
    try await group.run()
  }
}

private enum ServiceError: Error {
  case noPort(String)
}
#else
import ExampleSupport

@main enum Unbuilt: NeedsTraits {
  static let command = "swift run --traits Service,HTTPClient,Hummingbird pinned-service"
}
#endif
