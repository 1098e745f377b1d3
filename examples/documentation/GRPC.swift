#if GRPC
import GRPCCore
import GRPCNIOTransportHTTP2
import Logging
import NIOSSL
import PinGRPC
import PinNIOSSL
import PinValidator

func gRPCClient(store: PinStore, logger: Logger) async throws {
  var configuration = TLSConfiguration.makeClientConfiguration()
  configuration.applicationProtocols = ["h2"]
  let tls = try PinnedTLS(store: store, configuration: configuration)
  let transport = try tls.grpcTransport(
    target: .dns(host: "api.example.com"), host: "api.example.com", port: 443,
    onRefusal: { logger.error("refused: \($0)") })
  try await withGRPCClient(transport: transport) { client in
    // Calls, as ever.
  }
}
#endif
