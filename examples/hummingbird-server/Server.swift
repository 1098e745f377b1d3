#if Hummingbird
import ArgumentParser
import ExampleSupport
import Hummingbird
import NIOSSL
import PinHummingbird
import PinNIOSSL

/// A Hummingbird server that lets in who has a certificate that the manifest's entry for clients allows.
@main struct Server: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pinned-hummingbird-server", abstract: "Tells clients by which key they were let in.")

  @OptionGroup var pins: PinOptions
  @Option(help: "The server's certificate and intermediates, PEM.") var chain: String
  @Option(help: "The server's private key, PEM.") var key: String
  @Option(help: "The manifest's entry that governs clients.") var clients: String
  @Option(help: "The port to listen on; 0 for any.") var port = 8443

  func run() async throws {
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: try NIOSSLCertificate.fromPEMFile(chain).map { .certificate($0) },
      privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
    // Asks for a certificate; the decision takes the place of NIOSSL's own verification.
    configuration.certificateVerification = .noHostnameVerification
    let tls = try PinnedTLSServer(store: try pins.store(), configuration: configuration, clientsUnder: clients)

    let router = Router(context: ClientIdentityRequestContext.self)
    router.add(middleware: RequiresClientIdentity())
    router.get("/") { _, context in "hello, \(context.client?.keyName ?? "stranger")\n" }
    let application = Application(
      router: router, server: .pinnedTLS(tls),
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)))
    try await application.runService()
  }
}
#else
import ExampleSupport

@main enum Unbuilt: NeedsTraits { static let command = "swift run --traits Hummingbird pinned-hummingbird-server" }
#endif
