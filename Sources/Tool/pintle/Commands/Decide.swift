import ArgumentParser
import Diagnostics
import OpenSSLKit
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

      With --role client, the chain is a client's, and the host is the name of the entry that the service has for its \
      clients. No name is compared then.

      With --why, it explains an incident: the cause first, then what changed, whether that speaks for an attack or for a \
      renewal, which clients are affected, and the next commands, ready to copy. It asks the live server, or reads a \
      client's log (--log), a report (--report) or a record (--evidence).

      EXAMPLES:
        pintle decide api.example.com --manifest m.json --key release.key.pub \\
          --chain chain.pem
        pintle decide api.example.com:8443 --manifest m.json --key release.key.pub \\
          --connect 10.0.0.5:8443
        pintle decide api.example.com --manifest m.json --key release.key.pub \\
          --chain chain.pem --anchors ca.pem --at 2027-06-01 --format json
        pintle decide api.example.com --why --manifest released --keyset keysets
        journalctl -u payments | pintle decide --why --log - --manifest released \
          --keyset keysets
      """)

  @Argument(
    help: ArgumentHelp("The host that the connection is for. The default port is 443.", valueName: "host[:port]"))
  var host: String?

  @Option(
    help: ArgumentHelp("The manifest to decide by; with --why also a folder of all released ones.", valueName: "file"),
    completion: .file())
  var manifest: String

  @OptionGroup var verification: VerificationOptions

  @Option(help: ArgumentHelp("The served chain (PEM), leaf first.", valueName: "file"), completion: .file())
  var chain: String?

  @Option(help: "Whose chain it is: server or client.")
  var role = Role.server

  /// Who presented the chain.
  enum Role: String, ExpressibleByArgument, CaseIterable {
    case server
    case client
  }

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

  @OptionGroup(title: "Explaining") var why: WhyOptions
  @OptionGroup var time: TimeOption

  @OptionGroup var facts: FactsOptions

  func validate() throws {
    if why.why {
      try validateWhy()
    } else if host == nil {
      throw ValidationError("Missing expected argument '<host[:port]>'")
    } else if (chain == nil) == (connect == nil) {
      throw ValidationError("Give either --chain or --connect.")
    }
    if role == .client, why.why || connect != nil {
      throw ValidationError("--role client is for a chain in a file: give --chain, without --connect and --why.")
    }
    if connect != nil, tlsVersion != nil {
      throw ValidationError("--tls-version can't be combined with --connect: the live server says it.")
    }
    if !(1...600).contains(timeout) { throw ValidationError("--timeout is from 1 to 600 seconds.") }
  }

  private func validateWhy() throws {
    if let option = why.sources.first, chain != nil || connect != nil && option != "--log" {
      throw ValidationError("\(option) can't be combined with --chain or --connect.")
    }
    if chain != nil, connect != nil { throw ValidationError("Give either --chain or --connect.") }
    guard let host else {
      if why.sources.isEmpty { throw ValidationError("Give a host, --log, --report or --evidence.") }
      return
    }
    if host.contains(where: \.isWhitespace) {
      throw ValidationError("Pass lines of a log with --log: a file, or '-' to paste them.")
    }
    if why.log != nil || why.report != nil {
      throw ValidationError("\(why.sources[0]) says itself which host it is about; leave out '\(host)'.")
    }
  }

  func run() throws {
    if why.why { return try explain() }
    guard let host else { return }
    let target = try Target(host, keepsULabels: true)
    let loaded = try verification.load(manifest)
    let evaluator = TrustEvaluator(anchors: try trustAnchors(), findsAllFailures: true)
    let validator = Validator(manifest: loaded, evaluator: evaluator)
    let (certificates, version) = try served(for: target, at: connect)
    let instant = time.instant
    // Nothing but the validator decides on a client.
    let (peer, transport) =
      role == .client ? (PeerHandshake.Peer.client, TransportValidation.replaced) : (.server, .stands)
    let handshake = PeerHandshake(
      peer: peer, host: target.host, port: target.port, certificates: certificates, tlsVersion: version)
    let decision = validator.evaluate(handshake, at: instant, transport: transport)
    let explanation = DecisionExplanation(
      decision: decision, by: validator, target: target, handshake: handshake, instant: instant)
    try facts.write(text: explanation.text(), json: explanation.json())
    if let aLabels = target.aLabels {
      Console.say("help: Clients ask for the name in A-labels: pintle decide \(aLabels):\(target.port)")
    }
    if decision.disposition == .cancel { try ExitStatus.mismatch.exit() }
  }

  /// `--why`: collects what is at hand, and prints the answer.
  private func explain() throws {
    var trust = verification.keyset.map { "--keyset \(ShellWord.of($0))" } ?? ""
    for key in verification.keys { trust += (trust.isEmpty ? "" : " ") + "--key \(ShellWord.of(key))" }
    if let threshold = verification.threshold { trust += " --threshold \(threshold)" }
    let commands = WhyCommands(
      releases: manifest, trust: trust, anchors: anchors.map { " --anchors \(ShellWord.of($0))" }.joined(),
      address: connect)
    let event = try why.log.map { path throws(CommandFailure) in try loggedEvent(path) }
    if let event, let code = event.code {
      return try show(Why(rejected: event, code: code, at: time.instant, commands: commands))
    }
    let report = try why.report.map { path throws(CommandFailure) in
      try ReportedChain(try Input.read(path, limit: .exchanged), path: path)
    }
    let record = try why.evidence.map { path throws(CommandFailure) in try EvidenceFile.read(path) }
    let recorded = try record.map { record throws(CommandFailure) in try recordedTarget(in: record) }
    let target = try recorded?.asked ?? reportedTarget(event, report)
    // What was recorded is judged as of then, what is live as of now.
    let instant = time.at?.instant ?? record?.ended ?? report?.instant ?? TimeArgument.now
    var question = WhyQuestion(
      host: target.host, port: target.port, releases: try releases(), anchors: try trustAnchors(), at: instant,
      commands: commands)
    question.before = try why.before.map { path throws(CommandFailure) in try EvidenceFile.read(path) }
    for path in why.collector { try question.clients.add(try Input.read(path, limit: .evidence), path: path) }
    question.event = event
    question.claimed = report?.instant
    if let report {
      question.views = [WhyQuestion.View(places: ["as a client reported"], chain: report.chain, tlsVersion: nil)]
    } else if let record, let recorded {
      question.take(recorded.found, of: record)
      question.record = why.evidence
    } else {
      try ask(target, for: &question)
    }
    let answer = Why(question)
    try show(answer)
    if answer.cause == .unknown { try ExitStatus.inconclusive.exit() }
    if answer.isBlocked { try ExitStatus.mismatch.exit() }
  }

  private func show(_ answer: Why) throws {
    let report = WhyReport(answer)
    try facts.write(text: report.text(), json: report.json(by: .pintle))
  }

  /// Asks the server; a client's log is explained even where nobody can ask it.
  private func ask(_ target: Target, for question: inout WhyQuestion) throws(CommandFailure) {
    let place = connect ?? target.label
    do throws(CommandFailure) {
      let (certificates, version) = try served(for: target, at: chain == nil ? place : nil)
      question.views = [
        WhyQuestion.View(places: [chain ?? place], chain: certificates, tlsVersion: version)
      ]
    } catch {
      guard error.kind == .inconclusive, question.event != nil else { throw error }
      question.silence = error.message
    }
  }

  private func loggedEvent(_ path: String) throws(CommandFailure) -> LoggedEvent {
    let bytes = try Input.read(path, limit: .evidence)
    guard let event = LoggedEvent(lastOf: String(decoding: bytes, as: UTF8.self)) else {
      throw CommandFailure(
        .failed, "\(Input.name(path)) has no line of a client about a blocked connection or a rejected file",
        help: "Give whole lines: those with 'connection blocked', 'pin mismatch reported' or 'manifest rejected'.")
    }
    if event.unread > 0 {
      Console.warn(
        "\(counted(event.unread, "line")) of \(Input.name(path)) \(event.unread > 1 ? "look" : "looks") like an event of a "
          + "client and can't be read",
        help: "Give whole lines, each below 16 KiB. What is explained is the last line that was read.")
    }
    return event
  }

  /// The host that a log or a report is about must be one, because it becomes part of commands.
  private func reportedTarget(_ event: LoggedEvent?, _ report: ReportedChain?) throws(CommandFailure) -> Target {
    guard let host = event?.host ?? report?.host else { return try Target(self.host ?? "") }
    guard let canonical = try? HostName(canonicalising: host) else {
      throw CommandFailure(
        .failed, "'\(VisibleText.of(host))' in \(Input.name(why.log ?? why.report ?? "-")) is not a valid host name")
    }
    return try Target(HostLabel.text(host: canonical, port: event?.port ?? report?.port ?? 443))
  }

  /// The host of a record that is asked about: the only one, or the one that is named.
  private func recordedTarget(in record: Evidence) throws(CommandFailure) -> (asked: Target, found: Evidence.Target) {
    let asked = try host.map { text throws(CommandFailure) in try Target(text) }
    let found = record.targets.filter { target in
      asked.map { $0.host == target.host.text && $0.port == target.port } ?? true
    }
    guard found.count == 1, let only = found.first else {
      let names = record.targets.prefix(5).map { HostLabel.text(host: $0.host, port: $0.port) }.joined(separator: ", ")
      let path = why.evidence ?? ""
      throw CommandFailure(
        .usage,
        asked.map { "'\($0.label)' isn't in '\(path)'" } ?? "'\(path)' is about \(counted(found.count, "host"))",
        help: "Name one of its hosts: \(names)\(record.targets.count > 5 ? ", …" : ".")")
    }
    if let asked { return (asked, only) }
    return (try Target(HostLabel.text(host: only.host, port: only.port)), only)
  }

  private func releases() throws(CommandFailure) -> [ReleasedManifest] {
    guard let trust = try verification.trust() else { throw Trust.missing(for: manifest) }
    let files = ReleasedFiles(trust: trust)
    let releases = InputFile.isFolder(manifest) ? try files.directory(manifest) : [try files.file(manifest)]
    if let audience = verification.audience, let other = releases.first(where: { $0.loaded.audience != audience }) {
      throw CommandFailure(
        .refused,
        "'\(other.path ?? manifest)' is for '\(VisibleText.of(other.loaded.audience))', not for '\(audience)'",
        help: "Get the manifests for this environment, or correct --audience.")
    }
    return releases
  }

  private func trustAnchors() throws(CommandFailure) -> TrustAnchors {
    guard !anchors.isEmpty else { return .system }
    return try AnchorFiles.load(anchors, calling: "anchors")
  }

  private func served(for target: Target, at connect: String?) throws(CommandFailure) -> ([[UInt8]], TLSVersion?) {
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
    if !PEMBlock.looksLikePEM(pem), (try? Certificate(der: pem)) != nil { return ([pem], tlsVersion?.version) }
    let certificates: [[UInt8]]
    do {
      let blocks = try CertificateBlock.read(pem)
      certificates = blocks.map(\.der)
      if blocks.contains(where: { $0.trust != .unsaid }) {
        Console.warn(
          "the trust settings of 'TRUSTED CERTIFICATE' in '\(path)' are ignored",
          help: "They bind anchors only: pass a certificate that is one with '--anchors'.")
      }
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
