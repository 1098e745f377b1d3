import ArgumentParser
import Diagnostics
import OpenSSLKit
import PinFormat
import PinPolicy
import PinProbe
import PinValidator

/// `pintle decide`: what the runtime validator says of a chain, and why.
struct Decide: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decide",
    abstract: "Decide on a chain as a client would, and say why.",
    discussion: """
      Uses the same validator as services. The chain is what a server sends, leaf first: a PEM file, as \
      'openssl s_client -showcerts' prints it, or taken from a live server with --connect. The output says the verdict, \
      the step of the decision that gave it, the entry, and the key that matched with its position in the validated \
      chain. The exit status is 0 for allow and notPinned, 4 for block.

      EXAMPLES:
        pintle decide api.example.com --manifest m.json --key release.key.pub \\
          --chain chain.pem
        pintle decide api.example.com:8443 --manifest m.json --key release.key.pub \\
          --connect 10.0.0.5:8443
        pintle decide api.example.com --manifest m.json --key release.key.pub \\
          --chain chain.pem --anchors ca.pem --at 2027-06-01 --format json
      """)

  @Argument(
    help: ArgumentHelp("The host that the connection is for. The default port is 443.", valueName: "host[:port]"))
  var host: String

  @Option(help: ArgumentHelp("The manifest to decide by.", valueName: "file"), completion: .file())
  var manifest: String

  @OptionGroup var verification: VerificationOptions

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

  @OptionGroup var time: TimeOption

  @OptionGroup var facts: FactsOptions
  @OptionGroup var defaults: DefaultsOptions

  func validate() throws {
    if (chain == nil) == (connect == nil) { throw ValidationError("Give either --chain or --connect.") }
    if connect != nil, tlsVersion != nil {
      throw ValidationError("--tls-version can't be combined with --connect: the live server says it.")
    }
    if !(1...600).contains(timeout) { throw ValidationError("--timeout is from 1 to 600 seconds.") }
  }

  func run() throws {
    let target = try Target(host, keepsULabels: true)
    let loaded = try verification.load(manifest)
    let evaluator = TrustEvaluator(anchors: try trustAnchors(), findsAllFailures: true)
    let validator = Validator(manifest: loaded, evaluator: evaluator)
    let (certificates, version) = try served(for: target)
    let instant = time.instant
    let decision = validator.evaluate(
      PeerHandshake(host: target.host, port: target.port, certificates: certificates, tlsVersion: version),
      at: instant)
    let explanation = DecisionExplanation(
      decision: decision, manifest: loaded, target: target.label, served: certificates, instant: instant)
    try facts.write(text: explanation.text(), json: explanation.json())
    if let aLabels = target.aLabels {
      Console.say("help: Clients ask for the name in A-labels: pintle decide \(aLabels):\(target.port)")
    }
    if case .block = decision.verdict { try ExitStatus.mismatch.exit() }
  }

  private func trustAnchors() throws(CommandFailure) -> TrustAnchors {
    guard !anchors.isEmpty else { return .system }
    var files: [[UInt8]] = []
    for path in anchors { files.append(try Input.read(path, limit: .bundle)) }
    do {
      return try TrustAnchors(files)
    } catch {
      throw CommandFailure(.failed, "the --anchors can't be used: \(error.message)")
    }
  }

  private func served(for target: Target) throws(CommandFailure) -> ([[UInt8]], TLSVersion?) {
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
    let certificates: [[UInt8]]
    do {
      certificates = try PEMBlock.read(pem).filter { $0.label == "CERTIFICATE" }.map(\.bytes)
    } catch {
      throw WrongFile.failure(path, pem, needed: .certificates)
        ?? CommandFailure(.failed, "can't read the chain in '\(path)': \(error.message)")
    }
    // A chain that is too long is left to the validator to block.
    guard !certificates.isEmpty else {
      throw WrongFile.failure(path, pem, needed: .certificates)
        ?? CommandFailure(
          .failed, "'\(path)' has no certificate",
          help: "Give the chain in PEM, as 'openssl s_client -showcerts' prints it.")
    }
    return (certificates, tlsVersion?.version)
  }
}
