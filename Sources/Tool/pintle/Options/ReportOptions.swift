import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRules

// ArgumentParser would make these lists through key paths, which is slow in each process.
extension FindingsFormat: ExpressibleByArgument {
  package static var allValueStrings: [String] { allCases.map { $0.rawValue } }
}

extension Severity: ExpressibleByArgument {
  package static var allValueStrings: [String] { allCases.map { $0.rawValue } }
}

/// The format of what is found, where it is written, and what of it fails the command.
struct FindingsOptions: ParsableArguments {
  @Option(help: "text, concise, json, sarif, github, gitlab, junit or markdown.")
  var format = FindingsFormat.text

  @Option(
    help: ArgumentHelp("The least severity that fails the command: error, warning or note.", valueName: "severity"))
  var failOn = Severity.error

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write the report; standard output unless given.", valueName: "file"),
    completion: .file())
  var output: String?
}

/// The same, with the options of text.
struct ReportOptions: ParsableArguments {
  @OptionGroup var findings: FindingsOptions
  @OptionGroup var text: TextOptions

  var format: FindingsFormat { findings.format }
  var failOn: Severity { findings.failOn }
  var output: String? { findings.output }

  func validate() throws { try text.check(isText: format == .text || format == .concise) }

  /// Writes the report, and ends the command as the findings at the fail level call for.
  func show(_ result: Checker.Result, of source: LoadedPolicy, at instant: Instant) throws {
    let report = result.report(of: source, at: instant)
    try Output.write(Array(rendered(report).utf8), to: output ?? "-")
    try status(of: report).exit()
  }

  /// The gravest that a finding at the fail level calls for: a server fails, the policy does, a server wasn't asked.
  func status(of report: Report) -> ExitStatus {
    let failing = Set(report.diagnostics.lazy.filter { $0.severity >= failOn }.map(\.code))
    let ofServers = failing.filter(Diagnostic.isOfServers)
    if ofServers.contains(where: { !Diagnostic.isOfReaching($0) }) { return .mismatch }
    if failing.count > ofServers.count { return .findings }
    return failing.isEmpty ? .fine : .inconclusive
  }

  /// Says on standard error what the report's format has no place for: what wasn't read.
  func sayRemarks(_ report: Report) {
    guard format == .gitlab || format == .junit else { return }
    for remark in report.remarks { Console.say(remark) }
  }

  /// The report in the format that was asked for.
  func rendered(_ report: Report) -> String {
    format.render(text.shown(report, failLevel: failOn), style: text.style(to: output), failLevel: failOn)
  }

  /// The report as text, for a command that stops at what was found.
  static func text(_ result: Checker.Result, of source: LoadedPolicy, at instant: Instant) -> String {
    TextRenderer().render(result.report(of: source, at: instant))
  }
}
