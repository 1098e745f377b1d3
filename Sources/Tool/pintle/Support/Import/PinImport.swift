import Diagnostics
import Glibc
import PinExchange
import PinFormat
import PinPolicy
import PinRules
import PinValidator

/// Pins of another format on their way into a policy directory.
struct PinImport {
  let format: ImportFormat
  let files: [ExchangedFile]
  /// The policy file, or `-`.
  let output: String
  let options: PinImportOptions
  /// What `manifest.yaml` is to say, where the directory has none.
  let audience: String?
  let instant: Instant

  func run() throws {
    if output != "-", !options.force, access(output, F_OK) == 0 {
      throw CommandFailure(
        .failed, "'\(output)' is there already", help: "Give -o another path, or --force to replace it.")
    }
    let imported = try read()
    let place = ImportDestination(output)
    let existing = try place.existing()
    let draft = ImportDraft(
      imported,
      ImportDraft.Settings(
        at: instant, reviewBy: try reviewBy(), owner: options.owner, files: files.map(Self.shortName),
        format: format.title, existing: existing.policy))
    guard draft.list.hosts.contains(where: { $0.mode != .off }) else {
      let status = try show(draft.findings)
      if !draft.alreadyThere.isEmpty {
        sayAlreadyThere(draft)
        Console.say("nothing was written: no other host with pins was found")
        return try status.exit()
      }
      throw CommandFailure(
        .failed, "no host with pins was found",
        help: OtherContent.help(for: files, otherThan: format)
          ?? "Nothing was written; see what was found in the files, if anything.")
    }
    let (text, endings) = try place.accepted(PolicyWriter.write(draft), besides: existing, draft: draft, at: instant)
    let manifest = audience.flatMap { audience in
      place.needsManifest(existing) ? PolicyWriter.manifest(audience: audience, for: draft) : nil
    }
    try place.write(text, manifest: manifest)
    let status = try show(draft.findings, endings)
    sayAlreadyThere(draft)
    say(draft, hasManifest: manifest != nil || existing.hasSettings)
    try status.exit()
  }

  private func reviewBy() throws(CommandFailure) -> Instant {
    guard let given = options.expires?.instant else {
      let day: Int64 = 86_400
      let now = instant.secondsSinceEpoch
      return Instant(secondsSinceEpoch: (now - ((now % day) + day) % day)).adding(seconds: 180 * day)
    }
    guard given > instant else {
      throw CommandFailure(.usage, "--expires is \(given), which has passed", help: "Give a day to come.")
    }
    return given
  }

  private func read() throws(CommandFailure) -> ImportedPins {
    do {
      return try format.read(files, ImportSettings(at: instant))
    } catch {
      let names = files.map { "'\($0.name)'" }.joined(separator: " and ")
      var sentence = "\(names) can't be imported"
      if let place = error.place, Int(place.file.index) < files.count {
        sentence =
          "'\(files[Int(place.file.index)].name)' can't be imported, at line \(place.start.line), column "
          + "\(place.start.column)"
      }
      throw CommandFailure(
        .failed, "\(sentence): \(error.message)",
        help: OtherContent.help(for: files, otherThan: format) ?? error.help
          ?? "Give a file of the format: \(format.title).")
    }
  }

  private func sayAlreadyThere(_ draft: ImportDraft) {
    let hosts = draft.alreadyThere
    guard let first = hosts.first else { return }
    Console.say(
      hosts.count == 1
        ? "already there: '\(first)', with the same pins"
        : "already there: '\(first)' and \(hosts.count - 1) more, with the same pins")
  }

  private static func shortName(_ file: ExchangedFile) -> String {
    file.name.split(separator: "/").last.map(String.init) ?? file.name
  }

  /// Shows the findings, and says which exit status they call for.
  @discardableResult
  private func show(_ findings: [ImportFinding], _ endings: Report? = nil) throws(CommandFailure) -> ExitStatus {
    let report = ImportReport.of(findings, in: files, endings: endings, at: instant)
    let shown = options.format ?? .text
    if let path = options.report {
      try Output.write(Array(shown.render(report, failLevel: options.failOn).utf8), to: path)
    } else if options.format != nil || !report.diagnostics.isEmpty {
      Console.ask(
        shown.render(report, style: TextRenderer(isColoured: Console.isComplaintColoured), failLevel: options.failOn))
    }
    return report.diagnostics.contains { $0.severity >= options.failOn } ? .findings : .fine
  }

  private func say(_ draft: ImportDraft, hasManifest: Bool) {
    let hosts = draft.list.hosts
    let unpinned = hosts.count { $0.mode == .off }
    let target = output == "-" ? "the policy" : VisibleText.of(output)
    Console.say(
      "imported \(target): \(counted(hosts.count, "host"))"
        + (unpinned > 0 ? " (\(unpinned) with 'mode: off')" : "") + ", \(counted(draft.list.keys.count, "key")), "
        + "from \(format.title)")
    if output != "-", !hasManifest {
      Console.say("help: the directory has no manifest.yaml, which building a manifest needs; --audience writes one")
    }
  }
}
