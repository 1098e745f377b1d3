import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRules

// ArgumentParser's own lists of values are made by way of a key path, which takes its time in each process.
extension ReportFormat: ExpressibleByArgument {
  package static var allValueStrings: [String] { allCases.map { $0.rawValue } }
}

extension Severity: ExpressibleByArgument {
  package static var allValueStrings: [String] { allCases.map { $0.rawValue } }
}

/// How findings are shown, and which of them fail the command.
struct ReportOptions: ParsableArguments {
  @Option(help: "text, concise, json, sarif, github, gitlab, junit or markdown.")
  var format = ReportFormat.text

  @Option(
    help: ArgumentHelp("The least severity that fails the command: error, warning or note.", valueName: "severity"))
  var failOn = Severity.error

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write the report; standard output unless given.", valueName: "file"),
    completion: .file())
  var output: String?

  @OptionGroup var text: TextOptions

  func validate() throws { try text.check(isText: format == .text || format == .concise) }

  /// Writes the report, and ends the command as the findings at the fail level call for.
  func show(_ result: Checker.Result, of source: LoadedPolicy, at instant: Instant) throws {
    let report = Self.report(result, of: source, at: instant)
    try Output.write(Array(rendered(report).utf8), to: output ?? "-")
    try status(of: report).exit()
  }

  /// The gravest that a finding at the fail level calls for: a server fails, the policy does, a server wasn't asked.
  func status(of report: Report) -> ExitStatus {
    let failing = Set(report.diagnostics.lazy.filter { $0.severity >= failOn }.map(\.code))
    let ofServers = failing.filter { $0.hasPrefix("P5") }
    // P530 to P539 say that something could not be asked, not that it is wrong.
    if ofServers.contains(where: { !$0.hasPrefix("P53") }) { return .mismatch }
    if failing.count > ofServers.count { return .findings }
    return failing.isEmpty ? .fine : .inconclusive
  }

  /// The report in the format that was asked for.
  func rendered(_ report: Report) -> String {
    format.render(text.shown(report, failLevel: failOn), style: text.style(to: output), failLevel: failOn)
  }

  /// The report as text, for a command that stops at what was found.
  static func text(_ result: Checker.Result, of source: LoadedPolicy, at instant: Instant) -> String {
    TextRenderer().render(report(result, of: source, at: instant))
  }

  /// The findings of the files that were asked for, as every renderer takes them.
  static func report(_ result: Checker.Result, of source: LoadedPolicy, at instant: Instant) -> Report {
    let asked = result.diagnostics.filter { source.isAsked($0.place.file) }
    var report = Report(
      diagnostics: [],
      suppressed: result.suppressed.filter { source.isAsked($0.diagnostic.place.file) }.map {
        Report.Suppressed($0.diagnostic, reason: $0.by.reason, until: $0.by.until.description)
      },
      sources: source.policy.sources,
      rules: result.rules,
      tool: Report.Tool(name: "pintle", version: Version.current),
      instant: instant.description)
    // The most serious first, and within a severity by place: during an outage nobody reads past the notes.
    report.diagnostics = Cascade(of: source.policy).withoutConsequences(asked)
    report.diagnostics = report.gravestFirst
    if source.policy.problems.contains(where: { $0.kind == .noPolicyFiles }) { report.outcome = "no policy files" }
    if asked.count > 1 { report.hosts = Set(source.policy.hosts.flatMap { [$0.label, $0.host.text] }) }
    return report
  }
}
