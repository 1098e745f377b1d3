import ArgumentParser
import Diagnostics
import PinFormat

/// Options for imported pins, besides the files.
struct PinImportOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Who is responsible for the entries: the policy file's 'owner'.", valueName: "text"))
  var owner: String?

  @Option(
    help: ArgumentHelp(
      "The expiry of entries that have none or have expired, and the end of suppressions; the default is 180 days from "
        + "now.", valueName: "time"), transform: TimeArgument.read)
  var expires: TimeArgument?

  @Flag(help: "Replace an existing policy file.")
  var force = false

  @Option(help: "The format of the findings: text, json, sarif, github, gitlab, junit or markdown.")
  var format: FindingsFormat?

  @Option(
    help: ArgumentHelp("The least severity that fails the command: error, warning or note.", valueName: "severity"))
  var failOn = Severity.error

  @Option(
    help: ArgumentHelp("Where to write the findings; standard error unless given.", valueName: "file"),
    completion: .file())
  var report: String?

  /// The options that were given and that a signed file has no use for.
  var given: [String] {
    [
      ("--owner", owner != nil), ("--expires", expires != nil), ("--force", force),
      ("--format", format != nil), ("--report", report != nil),
    ].filter(\.1).map(\.0)
  }
}
