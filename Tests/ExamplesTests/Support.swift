#if GRPC && HTTPClient && AsyncHTTPClient && Hummingbird && Service
import AsyncHTTPClient
import GRPCCore
import NIOCore
import NIOHTTP1
import NIOSSL
import TransportSupport

/// A page that was fetched by a client without pins.
struct Page: Equatable {
  let status: HTTPResponseStatus
  let text: String
}

extension Page {
  /// Fetches a page, with a client certificate of the fixtures where one is given.
  init(_ url: String, as row: TransportCase? = nil) async throws {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .file(TransportFixtures.path("root.pem"))
    if let row {
      tls.certificateChain = try TransportFixtures.chain(of: row)
      tls.privateKey = try TransportFixtures.key(of: row)
    }
    var configuration = HTTPClient.Configuration(tlsConfiguration: tls)
    configuration.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(configuration: configuration)
    do {
      let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
      self.init(status: response.status, text: String(buffer: try await response.body.collect(upTo: 1 << 20)))
      try await client.shutdown()
    } catch {
      try? await client.shutdown()
      throw error
    }
  }
}

/// Answers every question for health with `SERVING`, without generated code.
struct HealthService: RegistrableRPCService {
  func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
    router.registerHandler(
      forMethod: MethodDescriptor(fullyQualifiedService: "grpc.health.v1.Health", method: "Check"),
      deserializer: Bytes(), serializer: Bytes(),
      handler: { _, _ in
        StreamingServerResponse { writer in
          try await writer.write([8, 1])
          return [:]
        }
      })
  }
}

private struct Bytes: MessageSerializer, MessageDeserializer {
  func serialize<Buffer: GRPCContiguousBytes>(_ message: [UInt8]) -> Buffer { Buffer(message) }
  func deserialize<Buffer: GRPCContiguousBytes>(_ bytes: Buffer) -> [UInt8] { bytes.withUnsafeBytes { [UInt8]($0) } }
}
#endif
