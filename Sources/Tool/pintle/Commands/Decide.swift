import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRules
import PinStudies
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

      If --manifest is a folder of releases, it says whether a server may install the certificate of --chain: each \
      release in use is asked about each day until the certificate ends. The exit status is 0 only if no client is \
      locked out, else 4. See docs/deploy.md.

      With --role client, the chain is a client's, and the host is the name of the entry that the service has for its \
      clients. No name is compared then.

      'pintle why' explains an incident: the cause, which clients are affected, and what to do.

      EXAMPLES:
        pintle decide api.example.com --manifest m.json --key release.key.pub \\
          --chain chain.pem
        pintle decide api.example.com:8443 --manifest m.json --key release.key.pub \\
          --connect 10.0.0.5:8443
        pintle decide api.example.com --manifest m.json --key release.key.pub \\
          --chain chain.pem --anchors ca.pem --at 2027-06-01 --format json
        pintle decide api.example.com --manifest released --keyset keysets \\
          --chain new.pem --served old.pem
      """)

  @Argument(
    help: ArgumentHelp("The host that the connection is for. The default port is 443.", valueName: "host[:port]"))
  var host: String

  @Option(
    help: ArgumentHelp("The manifest to decide by, or a folder of all released ones.", valueName: "path"),
    completion: .file())
  var manifest: String

  @OptionGroup var verification: VerificationOptions

  @Option(help: "Whose chain it is: server or client.")
  var role = Role.server

  /// Who presented the chain.
  enum Role: String, ExpressibleByArgument, CaseIterable {
    case server
    case client
  }

  @OptionGroup var presented: ServedChainOptions
  @OptionGroup var deploy: DeployOptions
  @OptionGroup var time: TimeOption

  @OptionGroup var facts: FactsOptions

  func validate() throws {
    if presented.chain == nil, presented.connect == nil { throw ValidationError("Give either --chain or --connect.") }
    if role == .client, presented.connect != nil {
      throw ValidationError("--role client is for a chain in a file: give --chain, without --connect.")
    }
  }

  func run() throws {
    if InputFile.isFolder(manifest) { return try decideOnReleases() }
    if let option = deploy.given {
      // If nothing is there, the error says so.
      if manifest != "-" { _ = try Input.read(manifest, limit: .manifest) }
      throw CommandFailure(
        .usage, "\(option) is about all releases, and '\(VisibleText.of(manifest))' isn't a folder",
        help: "Name the folder of the released manifests with --manifest.")
    }
    let target = try Target(host, keepsULabels: true)
    guard let trust = try verification.trust() else { throw Trust.missing(for: manifest) }
    let loaded = try trust.load(manifest, audience: verification.audience).manifest
    let evaluator = TrustEvaluator(anchors: try presented.trustAnchors(), findsAllFailures: true)
    let validator = Validator(manifest: loaded, evaluator: evaluator)
    let (certificates, version) = try presented.served(for: target, at: presented.connect)
    let instant = time.instant
    // Nothing but the validator decides on a client.
    let (peer, transport) =
      role == .client ? (PeerHandshake.Peer.client, TransportValidation.replaced) : (.server, .stands)
    let handshake = PeerHandshake(
      peer: peer, host: target.host, port: target.port, certificates: certificates, tlsVersion: version)
    let decision = validator.evaluate(handshake, at: instant, transport: transport)
    let explanation = DecisionExplanation(
      decision: decision, by: validator, target: target, handshake: handshake, instant: instant,
      release: ManifestEnd.help(["--against", manifest] + trust.options))
    try facts.write(text: explanation.text(), json: explanation.json())
    if let aLabels = target.aLabels {
      Console.say("help: Clients ask for the name in A-labels: \(aLabels):\(target.port)")
    }
    if decision.disposition == .cancel { try ExitStatus.mismatch.exit() }
  }
}

extension Decide {
  /// Whether a server may install the certificate, by all releases in use.
  private func decideOnReleases() throws {
    guard role == .server else {
      throw CommandFailure(
        .usage, "--role client is about one manifest, and '\(VisibleText.of(manifest))' is a folder",
        help: "Name the manifest that the service has.")
    }
    let target = try Target(host, keepsULabels: false)
    let releases = try verification.releases(in: manifest)
    let (chain, version) = try presented.served(for: target, at: presented.connect)
    var question = DeployQuestion(
      host: target.host, port: target.port, label: target.label, chain: chain, audiences: releases,
      window: deploy.clientMaxAge?.seconds, kinds: deploy.clients, anchors: try presented.trustAnchors(),
      tlsVersion: version, at: time.instant)
    question.served = try deploy.servedChain()
    try question.requireAllReleases()
    let report = DeployReport(Deploy(question), acceptedBecause: deploy.acceptLockout)
    if let line = report.record(by: .pintle) { try deploy.append(line) }
    try facts.write(text: report.text(), json: report.json(by: .pintle))
    if !report.mayInstall { try ExitStatus.mismatch.exit() }
  }
}
