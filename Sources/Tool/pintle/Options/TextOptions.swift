import ArgumentParser
import Diagnostics
import Glibc

/// When text is coloured.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  /// On a terminal, unless `NO_COLOR` is set.
  case auto
  case always
  case never

  static var allValueStrings: [String] { allCases.map { $0.rawValue } }
}

/// How findings are shown to people: in colour or not, all of them or the most important.
struct TextOptions: ParsableArguments {
  @Option(help: "When to colour text: auto (on a terminal), always or never.")
  var color = ColorChoice.auto

  @Flag(
    name: .shortAndLong,
    help: "Show every place in full, also if many findings have the same cause.")
  var verbose = false

  @Flag(name: .shortAndLong, help: "Show only the findings that fail the command, and nothing else.")
  var quiet = false

  func validate() throws {
    if verbose, quiet { throw ValidationError("--verbose can't be combined with --quiet.") }
  }

  /// Rejects what only text has, for another format.
  func check(isText: Bool) throws {
    guard !isText, let option = verbose ? "--verbose" : quiet ? "--quiet" : nil else { return }
    throw ValidationError("\(option) is for the formats text and concise; other formats always have every finding.")
  }

  /// How text is written to a file, or to standard output if nil.
  func style(to path: String?) -> TextRenderer {
    let isTerminal = path == nil && isatty(STDOUT_FILENO) == 1
    let isColoured =
      switch color {
      case .auto: path == nil && Console.isColoured
      case .always: true
      case .never: false
      }
    return TextRenderer(
      isColoured: isColoured, columns: isTerminal ? Console.columns(of: STDOUT_FILENO) : nil, showsAll: verbose,
      hasSummary: !quiet)
  }

  /// The report with the options for its text.
  func shown(_ report: Report, failLevel: Severity) -> Report {
    guard quiet else { return report }
    var shown = report
    shown.diagnostics.removeAll { $0.severity < failLevel }
    return shown
  }
}
