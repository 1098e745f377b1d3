import ArgumentParser
import Diagnostics
import Glibc
import PinFormat
import PinLanguageServer
import PinStudies

/// `pintle lsp`: what editors start, to show findings while a policy is typed.
struct LSP: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lsp",
    abstract: "Serve editors: findings while typing, and fixes.",
    discussion: """
      Speaks the Language Server Protocol (3.17) on standard input and output; an editor starts it.\(Citation.see("docs/editors.md")) \
      What is unsaved in the editor counts, whatever is on disk. The server writes no file and asks no network. It \
      runs no program but those of --rules: opening a folder runs nothing.

      A file belongs to the nearest directory above it with a manifest.yaml, as it does for 'pintle check'. YAML files \
      of no policy are left alone.

      EXAMPLES:
        pintle lsp
        pintle lsp --evidence fleet.json
        pintle lsp --at 2027-06-01
      """)

  @Option(
    help: ArgumentHelp(
      "A record of live servers, to say where keys stand and what the servers do wrong.",
      discussion: "Without it, 'evidence.json' beside the policy directory says where keys stand, if it is there.",
      valueName: "file"), completion: .file())
  var evidence: String?

  @Option(
    help: ArgumentHelp(
      "A file that names your own programs that check the policy.",
      discussion: "Only this option can name it, and it must be outside of the workspace.", valueName: "file"),
    completion: .file())
  var rules: String?

  @OptionGroup var time: TimeOption

  @Flag(help: "Serve on standard input and output, which is done in any case; some editors give it.")
  var stdio = false

  func run() throws {
    let at = time.at
    let own = try rules.map { (path) throws(CommandFailure) in
      let rules = try OwnRules(
        path, at: time.instant, endingWith: Console.interruption("the editor's findings are incomplete"))
      let ask: ServerSettings.OwnRules = { policies, folders, instant in
        Result { () throws(WorkFailure) in
          try rules.requireOutside(folders, of: policies)
          // The editor waits meanwhile.
          return try rules.rules(for: policies, at: instant, longest: 2)
        }
      }
      return ask
    }
    let settings = ServerSettings(
      clock: { at?.instant ?? TimeArgument.now }, evidence: evidence, ownRules: own, version: Version.current)
    let status = Connection(input: STDIN_FILENO, output: STDOUT_FILENO).serve(LanguageServer(settings))
    if status != 0 { throw ExitCode(status) }
  }
}
