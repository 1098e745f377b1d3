#if AsyncHTTPClient
import ArgumentParser
import AsyncHTTPClient
import ExampleSupport
import NIOCore
import NIOSSL
import PinAsyncHTTPClient

/// AsyncHTTPClient: made once, for the hosts that will be asked.
///
/// What it can't decide on is refused here.
@main struct Client: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pinned-async-http-client", abstract: "Fetches a page from a pinned server.")

  @OptionGroup var pins: PinOptions
  @Option(help: "Intermediates in PEM; needed where the policy pins authorities.") var intermediates: String?
  @Argument(help: "The server's name or address.") var host: String
  @Argument(help: "The server's port.") var port: UInt16

  func run() async throws {
    let client = try PinnedAsyncHTTPClient(
      store: try pins.store(),
      options: PinnedAsyncHTTPClient.Options(
        endpoints: [PinnedAsyncHTTPClient.Endpoint(host: host, port: port)],
        intermediates: try intermediates.map { try NIOSSLCertificate.fromPEMFile($0) } ?? []))
    do {
      let request = HTTPClientRequest(url: "https://\(host):\(port)/")
      let response = try await client.execute(request, timeout: .seconds(30))
      print(String(buffer: try await response.body.collect(upTo: 1 << 20)))
    } catch {
      try? await client.shutdown()
      throw error
    }
    try await client.shutdown()
  }
}
#else
import ExampleSupport

@main enum Unbuilt: NeedsTraits { static let command = "swift run --traits AsyncHTTPClient pinned-async-http-client" }
#endif
