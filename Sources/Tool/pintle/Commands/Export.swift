import ArgumentParser
import Diagnostics
import Glibc
import PinExchange
import PinFormat
import PinPolicy
import PinRules

/// `pintle export`: the pins of a policy, or a signed file, for other tools.
struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write pins in formats that other platforms read.",
    discussion: """
      Reads a policy directory, which is checked first, or a signed manifest, which is verified with --key or --keyset \
      first, and writes a file for an app, a proxy, a browser or a name server. Nothing is lost silently: if the format \
      can't say something, that is an error that names the hosts, and --accept must name each loss. Only 'dsse' keeps \
      the signature, serial and freshness.

      --host exports only the entries of these hosts. --check writes nothing: it exits with status 2 if the existing \
      file differs from what the policy says now. 'pintle export --list' shows the formats; with --format markdown it \
      shows what each of them can say.

      'dsse' writes a signed manifest or keyset, or a draft, as an envelope with the same signed bytes and the same \
      signatures. Any tool for DSSE envelopes can verify it or add signatures. Nothing is signed again, and nothing is \
      verified.

      EXAMPLES:
        pintle export --list
        pintle export android policies -o network_security_config.xml
        pintle export okhttp-kotlin --package com.example.net -o PinnedHosts.kt \\
          --accept on-expiry-report-only,report-uris
        pintle export tlsa manifest.json --key release.key.pub --port 443 -o -
        pintle export dsse manifest.json -o envelope.json
      """)

  @Argument(
    help: ArgumentHelp("The format, such as android or okhttp-kotlin.", valueName: "format"),
    completion: .list(ExportFormat.all.map(\.name) + [envelope]))
  var target: String?

  @Argument(
    help: ArgumentHelp("The policy directory, or a signed manifest; for 'dsse' a signed file.", valueName: "path"),
    completion: .file())
  var path: String?

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write: a file, a folder, or '-' for standard output.", valueName: "path"),
    completion: .file())
  var output: String?

  @Option(
    name: .customLong("accept"),
    help: ArgumentHelp(
      "What may be lost, by the names in the error, separated by commas.", valueName: "features"),
    completion: .list(PolicyFeature.allCases.map(\.rawValue)), transform: AcceptedLosses.read)
  var accepted: [AcceptedLosses] = []

  @Option(
    name: .customLong("host"),
    help: ArgumentHelp(
      "Only the entries of this host. Repeatable.", valueName: "host"))
  var hosts: [String] = []

  @OptionGroup var settings: ExportSettingOptions
  @OptionGroup var verification: VerificationOptions
  @OptionGroup var time: TimeOption

  @Flag(help: "Write nothing; fail if the file would change. For continuous integration.")
  var check = false

  @Flag(help: "Show the formats.")
  var list = false

  @Option(help: ArgumentHelp("How --list shows them: text or markdown.", valueName: "format"))
  var format = FormatListing.text

  func validate() throws {
    if list {
      if target != nil { throw ValidationError("--list shows all formats; it can't be combined with a format.") }
      return
    }
    guard target != nil else { throw ValidationError("Give a format; 'pintle export --list' shows them.") }
    // A wrong format is reported first, by `run`.
    let isKnown = target == Self.envelope || ExportFormat.all.contains { $0.name == target }
    if isKnown, output == nil { throw ValidationError("Give --output: a file, a folder, or '-'.") }
  }

  func run() throws {
    guard let target else { return try Console.write(format.text) }
    let pins = target == Self.envelope ? nil : try Self.format(named: target)
    guard let output else { return }
    guard let format = pins else { return try writeEnvelope(to: output) }
    let values = try settings.values(for: format)
    let source = try PinListSource.load(path ?? "policies", verification: verification, at: time.instant)
    let list = try source.list.selecting(hosts)
    let fitted = try fit(list, to: format)
    let files: [ExchangedFile]
    do throws(ExchangeError) {
      files = try format.write(fitted, ExportSettings(at: time.instant, values))
    } catch {
      throw CommandFailure(.failed, "the pins can't be written as '\(format.name)': \(error.message)")
    }
    if check {
      try ExportedFiles(files).check(against: output)
      return Console.say("\(VisibleText.of(output)) is what the policy says")
    }
    try ExportedFiles(files).write(to: output)
    for loss in fitted.losses { Console.say("lost, as accepted: \(UnfitText.line(loss))") }
    Console.say("exported \(counted(fitted.list.hosts.count, "host entry", plural: "host entries")) as \(format.title)")
  }

  private func fit(_ list: PinList, to format: ExportFormat) throws -> FittedPinList {
    let features = Set(accepted.flatMap(\.features))
    do throws(UnfitPinList) {
      return try list.fitted(to: format, accepting: features)
    } catch {
      Console.say(UnfitText.text(error, of: format))
      throw CommandFailure(
        .findings, "'\(format.name)' can't say all that the policy says; nothing was written",
        help: UnfitText.help(
          list.wayOut(of: error, to: format, accepting: features) { fitted throws(ExchangeError) in
            try self.write(fitted, format)
          }))
    }
  }

  private func write(_ list: FittedPinList, _ format: ExportFormat) throws(ExchangeError) -> [ExchangedFile] {
    try format.write(list, ExportSettings(at: time.instant, (try? settings.values(for: format)) ?? [:]))
  }

  private static func format(named name: String) throws(CommandFailure) -> ExportFormat {
    if let format = ExportFormat.all.first(where: { $0.name == name }) { return format }
    let known = ExportFormat.all.map(\.name) + [envelope]
    if access(name, F_OK) == 0 {
      throw CommandFailure(
        .usage, "'\(name)' is a path, and the format comes before it",
        help: "For example 'pintle export android \(ShellWord.of(name))"
          + (InputFile.isFolder(name) ? "" : " --key KEY.pub") + " -o FILE'; 'pintle export --list' shows the formats.")
    }
    throw CommandFailure(
      .usage, "there is no format '\(name)'",
      help: Suggestion.formats(name, among: known) + "'pintle export --list' shows the formats.")
  }
}

// MARK: Signed files

extension Export {
  /// The format that holds a signed file, not pins.
  static let envelope = "dsse"

  private func writeEnvelope(to output: String) throws {
    guard let path else {
      throw CommandFailure(
        .usage, "'dsse' needs a signed file", help: "Give a manifest of 'pintle build' or a keyset of 'pintle keyset'.")
    }
    guard accepted.isEmpty, hosts.isEmpty, settings.isEmpty, verification.isEmpty, !check else {
      throw CommandFailure(
        .usage, "'dsse' writes a signed file as it is, so its only option is --output",
        help: "'pintle verify \(ShellWord.of(path)) --key KEY.pub' verifies it.")
    }
    let bytes = try Input.read(path, limit: .manifest)
    let document: SignedDocument
    do throws(ExchangeError) {
      document = try SignedDocument(file: bytes)
    } catch {
      throw CommandFailure(
        .failed, "'\(path)' can't be exported: \(error.message)",
        help: "Give a manifest of 'pintle build' or a keyset of 'pintle keyset', as it was written.")
    }
    try Output.write(DSSEEnvelope.write(document), to: output)
    Console.say(
      "exported \(output == "-" ? "the DSSE envelope" : VisibleText.of(output)): the \(document.content.noun) as a DSSE "
        + "envelope, \(counted(document.signatures.count, "signature"))")
  }
}

/// How `--list` shows the formats.
enum FormatListing: String, ExpressibleByArgument, CaseIterable {
  case text
  case markdown

  var text: String {
    switch self {
    case .text: FormatPage.terminal(ExportFormat.all)
    case .markdown: FormatPage.reference(ExportFormat.all)
    }
  }
}
