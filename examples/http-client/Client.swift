#if HTTPClient
import ArgumentParser
import ExampleSupport
import NIOCore
import PinHTTPClient
import PinNIOSSL

/// The small HTTP client on SwiftNIO, which sees the whole chain: for services that pin authorities.
@main struct Client: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pinned-http-client", abstract: "Fetches a page from a pinned server.")

  @OptionGroup var pins: PinOptions
  @Argument(help: "The server's name or address.") var host: String
  @Argument(help: "The server's port.") var port: UInt16

  func run() async throws {
    let client = try PinHTTPClient(try PinnedTLS(store: try pins.store()))
    let response = try await client.execute(PinHTTPRequest(host: host, port: port))
    print(String(buffer: response.body))
    client.closeIdleConnections()
  }
}
#else
import ExampleSupport

@main enum Unbuilt: NeedsTraits { static let command = "swift run --traits HTTPClient pinned-http-client" }
#endif
