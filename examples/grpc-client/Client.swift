#if GRPC
import ArgumentParser
import ExampleSupport
import GRPCCore
import GRPCNIOTransportHTTP2
import NIOSSL
import PinGRPC
import PinNIOSSL

/// A gRPC client whose transport is pinned; services and messages are made from their definitions as ever.
@main struct Client: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pinned-grpc-client", abstract: "Asks a pinned server for its health.")

  @OptionGroup var pins: PinOptions
  @Option(help: "The IPv4 address to connect to; unless given, the name is looked up.") var address: String?
  @Argument(help: "The server's name.") var host: String
  @Argument(help: "The server's port.") var port: UInt16

  func run() async throws {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.applicationProtocols = ["h2"]
    let tls = try PinnedTLS(store: try pins.store(), configuration: configuration)
    let target: any ResolvableTarget =
      if let address { .ipv4(address: address, port: Int(port)) } else { .dns(host: host, port: Int(port)) }
    let transport = try tls.grpcTransport(
      target: target, host: host, port: port,
      // gRPC itself only says that the server is unavailable.
      onRefusal: { print("refused: \($0)") })
    try await withGRPCClient(transport: transport) { client in
      let status = try await client.unary(
        request: ClientRequest(message: [UInt8]()),
        descriptor: MethodDescriptor(fullyQualifiedService: "grpc.health.v1.Health", method: "Check"),
        serializer: Bytes(), deserializer: Bytes(), options: .defaults, onResponse: { try $0.message })
      print(status == [8, 1] ? "serving" : "not serving")
    }
  }
}

/// Messages as they stand on the wire, in place of generated code: an empty request, and `status: SERVING` as field 1.
private struct Bytes: MessageSerializer, MessageDeserializer {
  func serialize<Buffer: GRPCContiguousBytes>(_ message: [UInt8]) -> Buffer { Buffer(message) }
  func deserialize<Buffer: GRPCContiguousBytes>(_ bytes: Buffer) -> [UInt8] { bytes.withUnsafeBytes { [UInt8]($0) } }
}
#else
import ExampleSupport

@main enum Unbuilt: NeedsTraits { static let command = "swift run --traits GRPC pinned-grpc-client" }
#endif
