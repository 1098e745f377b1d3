import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRules
import PinStudies
import PinValidator

/// `pintle why`: the cause of an incident, and what to do.
struct WhyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "why",
    abstract: "Explain why clients are blocked, and what to do.",
    discussion: """
      Explains an incident: the cause first, then what changed, whether that speaks for an attack or for a renewal, which \
      clients are affected, and the next commands, ready to copy. It asks the live server at the host's own address, \
      unless --connect names another, or reads a client's log (--log), a report (--report) or a record (--evidence).

      EXAMPLES:
        pintle why api.example.com --manifest released --keyset keysets
        journalctl -u payments | pintle why --log - --manifest released \\
          --keyset keysets
      """)

  @Argument(
    help: ArgumentHelp("The host that the connection is for. The default port is 443.", valueName: "host[:port]"))
  var host: String?

  @Option(
    help: ArgumentHelp("The manifest that clients have, or a folder of all released ones.", valueName: "path"),
    completion: .file())
  var manifest: String

  @OptionGroup var verification: VerificationOptions

  @Option(
    help: ArgumentHelp("Explain the last event in this log of a client; '-' for standard input.", valueName: "file"),
    completion: .file())
  var log: String?

  @Option(
    help: ArgumentHelp("Explain the chain in this report of a client; '-' for standard input.", valueName: "file"),
    completion: .file())
  var report: String?

  @Option(help: ArgumentHelp("Explain what this record shows.", valueName: "file"), completion: .file())
  var evidence: String?

  @Option(
    help: ArgumentHelp("An earlier record, to say what changed.", valueName: "file"), completion: .file())
  var before: String?

  @Option(
    help: ArgumentHelp(
      "An answer of the collector, of /v1/manifests or /v1/failures: which clients are affected. Repeatable.",
      valueName: "file"), completion: .file())
  var collector: [String] = []

  @OptionGroup var presented: ServedChainOptions

  @OptionGroup var time: TimeOption
  @OptionGroup var facts: FactsOptions

  /// The options that read something, as they are written.
  private var sources: [String] {
    [("--log", log), ("--report", report), ("--evidence", evidence)].filter { $0.1 != nil }.map(\.0)
  }

  func validate() throws {
    if sources.count > 1 { throw ValidationError("\(sources[0]) can't be combined with \(sources[1]).") }
    if [log, report, evidence, before].filter({ $0 == "-" }).count + collector.filter({ $0 == "-" }).count > 1 {
      throw ValidationError("Only one file can be standard input.")
    }
    if let option = sources.first, presented.chain != nil || presented.connect != nil && option != "--log" {
      throw ValidationError("\(option) can't be combined with --chain or --connect.")
    }
    guard let host else {
      if sources.isEmpty { throw ValidationError("Give a host, --log, --report or --evidence.") }
      return
    }
    if host.contains(where: \.isWhitespace) {
      throw ValidationError("Pass lines of a log with --log: a file, or '-' to paste them.")
    }
    if log != nil || report != nil {
      throw ValidationError("\(sources[0]) says itself which host it is about; leave out '\(host)'.")
    }
  }

  /// Collects what is at hand, and prints the answer.
  func run() throws {
    var trust = verification.keyset.map { "--keyset \(ShellWord.of($0))" } ?? ""
    for key in verification.keys { trust += (trust.isEmpty ? "" : " ") + "--key \(ShellWord.of(key))" }
    if let threshold = verification.threshold { trust += " --threshold \(threshold)" }
    let commands = WhyCommands(
      releases: manifest, trust: trust, anchors: presented.anchors.map { " --anchors \(ShellWord.of($0))" }.joined(),
      address: presented.connect)
    let event = try log.map { path throws(CommandFailure) in try loggedEvent(path) }
    if let event, let code = event.code {
      return try show(Why(rejected: event, code: code, at: time.instant, commands: commands))
    }
    let report = try self.report.map { path throws(CommandFailure) in
      try ReportedChain(try Input.read(path, limit: .exchanged), path: path)
    }
    let record = try evidence.map { path throws(CommandFailure) in try EvidenceFile.read(path) }
    let recorded = try record.map { record throws(CommandFailure) in try recordedTarget(in: record) }
    let target = try recorded?.asked ?? reportedTarget(event, report)
    // What was recorded is judged as of then, what is live as of now.
    let instant = time.at?.instant ?? record?.ended ?? report?.instant ?? TimeArgument.now
    var question = WhyQuestion(
      host: target.host, port: target.port, releases: try releases(), anchors: try presented.trustAnchors(),
      at: instant, commands: commands)
    question.before = try before.map { path throws(CommandFailure) in try EvidenceFile.read(path) }
    for path in collector { try question.clients.add(try Input.read(path, limit: .evidence), path: path) }
    question.event = event
    question.claimed = report?.instant
    if let report {
      question.views = [WhyQuestion.View(places: ["as a client reported"], chain: report.chain, tlsVersion: nil)]
    } else if let record, let recorded {
      question.take(recorded.found, of: record)
      question.record = evidence
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
    let place = presented.connect ?? target.label
    do throws(CommandFailure) {
      let (certificates, version) = try presented.served(for: target, at: presented.chain == nil ? place : nil)
      question.views = [
        WhyQuestion.View(
          places: [presented.chain ?? place], chain: certificates, tlsVersion: version,
          provesKey: presented.chain == nil)
      ]
    } catch {
      guard error.kind == .inconclusive, question.event != nil else { throw error }
      question.silence = error.message
    }
  }

  private func loggedEvent(_ path: String) throws(CommandFailure) -> LoggedEvent {
    let bytes = try Input.read(path, limit: .evidence)
    let text = String(decoding: bytes, as: UTF8.self)
    guard let event = LoggedEvent(lastOf: text) else {
      // Nothing is blocked by it, unless the policy says so.
      if text.contains(/manifest (is )?stale/.ignoresCase()) {
        throw CommandFailure(
          .failed,
          "\(Input.name(path)) says only that the manifest is stale: clients do what its 'on-stale' says, and with "
            + "'enforce' they work, and still pin",
          help:
            "Release the next serial, and look why clients don't get it: 'manifest fetch failed' in the log says where."
        )
      }
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
  private func reportedTarget(_ event: LoggedEvent?, _ reported: ReportedChain?) throws(CommandFailure) -> Target {
    guard let host = event?.host ?? reported?.host else { return try Target(self.host ?? "") }
    guard let canonical = try? HostName(canonicalising: host) else {
      throw CommandFailure(
        .failed, "'\(VisibleText.of(host))' in \(Input.name(log ?? report ?? "-")) is not a valid host name")
    }
    return try Target(HostLabel.text(host: canonical, port: event?.port ?? reported?.port ?? 443))
  }

  /// The host of a record that is asked about: the only one, or the one that is named.
  private func recordedTarget(in record: Evidence) throws(CommandFailure) -> (asked: Target, found: Evidence.Target) {
    let asked = try host.map { text throws(CommandFailure) in try Target(text) }
    let found = record.targets.filter { target in
      asked.map { $0.host == target.host.text && $0.port == target.port } ?? true
    }
    guard found.count == 1, let only = found.first else {
      let names = record.targets.prefix(5).map { HostLabel.text(host: $0.host, port: $0.port) }.joined(separator: ", ")
      let path = evidence ?? ""
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
}
