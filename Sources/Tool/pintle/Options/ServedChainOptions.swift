import ArgumentParser
import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

/// The chain of a server that is judged, and the anchors that it is judged by.
struct ServedChainOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The served chain (PEM), leaf first.", valueName: "file"), completion: .file())
  var chain: String?

  @Option(help: ArgumentHelp("Take the chain, and the TLS version, from this live server.", valueName: "address:port"))
  var connect: String?

  @Option(
    help: ArgumentHelp(
      "Anchors (PEM) instead of the system's trust store. Repeatable.", valueName: "file"),
    completion: .file())
  var anchors: [String] = []

  @Option(
    help: ArgumentHelp("The negotiated TLS version, 1.2 or 1.3, if the entry requires one.", valueName: "version"))
  var tlsVersion: TLSVersionArgument?

  @Option(help: "How many seconds to wait for the live server.")
  var timeout = 10

  func validate() throws {
    if chain != nil, connect != nil { throw ValidationError("Give either --chain or --connect.") }
    if connect != nil, tlsVersion != nil {
      throw ValidationError("--tls-version can't be combined with --connect: the live server says it.")
    }
    if !(1...600).contains(timeout) { throw ValidationError("--timeout is from 1 to 600 seconds.") }
  }

  func trustAnchors() throws(CommandFailure) -> TrustAnchors {
    guard !anchors.isEmpty else {
      AnchorFiles.warnOfSystem()
      return .system
    }
    return try AnchorFiles.load(anchors, calling: "anchors")
  }

  /// The chain of the live server at an address, or else that of the file.
  func served(for target: Target, at connect: String?) throws(CommandFailure) -> ([[UInt8]], TLSVersion?) {
    if let connect {
      guard let endpoint = Endpoint(connect) else {
        throw CommandFailure(
          .usage, "'\(connect)' is not an address and port", help: "Write 127.0.0.1:8443, [::1]:8443 or host:8443.")
      }
      let handshake = try LiveServer.chain(of: endpoint, askedFor: target.host, timeout: timeout)
      return (handshake.servedChain, handshake.tlsVersion)
    }
    let path = chain ?? "-"
    let pem = try Input.read(path, limit: .bundle)
    let file = try ChainFile(pem, of: path)
    if file.hasTrustSettings {
      Console.warn(
        "the trust settings of 'TRUSTED CERTIFICATE' in '\(path)' are ignored",
        help: "They bind anchors only: pass a certificate that is one with '--anchors'.")
    }
    return (file.certificates, tlsVersion?.version)
  }
}
