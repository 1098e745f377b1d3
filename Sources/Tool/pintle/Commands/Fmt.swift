import ArgumentParser
import PinPolicy
import PinRules

/// `pintle fmt`: policy files in the one layout.
struct Fmt: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fmt",
    _superCommandName: "pintle",
    abstract: "Format policy files in the standard layout.",
    discussion: """
      Rewrites each policy or test file (*.yaml, *.yml, subfolders too) that isn't in the standard layout, and prints its name. \
      Fields are put into the order of the reference; entries, comments and texts aren't changed. A file that isn't \
      valid YAML, or whose meaning would change, is reported and left unchanged.

      EXAMPLES:
        pintle fmt
        pintle fmt policies --dry-run
        pintle fmt --check policies examples
        pintle fmt - < policies/web.yaml
      """)

  @Argument(
    help: ArgumentHelp("Directories or policy files; '-' formats standard input to standard output.", valueName: "path")
  )
  var paths: [String] = ["policies"]

  @Flag(help: "Write nothing; list the files that would change, and exit with status 2 if there are any.")
  var check = false

  @Flag(help: "Write nothing; show what would change.")
  var dryRun = false

  func validate() throws {
    if paths.contains("-"), paths.count > 1 {
      throw ValidationError("Standard input ('-') can't be combined with other paths.")
    }
  }

  func run() throws {
    let formatting = paths == ["-"] ? try Formatting(input: Input.read("-", limit: .policy)) : try Formatting(paths)
    for remark in formatting.remarks { Console.ask(remark) }
    if dryRun {
      try Console.write(formatting.changed.diff)
    } else if check {
      try Console.write(formatting.changed.paths.map { Output.name($0) + "\n" }.joined())
    } else if let text = formatting.input {
      try Console.write(text)
    } else {
      try formatting.changed.write()
      try Console.write(formatting.changed.paths.map { Output.name($0) + "\n" }.joined())
    }
    if check, !formatting.changed.isEmpty {
      Console.say("help: 'pintle fmt' lays out what is named; with --dry-run it shows how, and writes nothing.")
      try ExitStatus.findings.exit()
    }
    try formatting.trouble.map { ExitStatus($0) }?.exit()
  }
}
