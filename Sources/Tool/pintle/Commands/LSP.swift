import ArgumentParser
import Diagnostics
import Glibc
import PinFormat
import PinLanguageServer

/// `pintle lsp`: what editors start, to show findings while a policy is typed.
struct LSP: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lsp",
    abstract: "Serve editors: findings while typing, and fixes.",
    discussion: """
      Speaks the Language Server Protocol (3.17) on standard input and output; an editor starts it, and docs/editors.md \
      says how. What is unsaved in the editor counts, whatever is on disk. The server writes no file and asks no network.

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

  @OptionGroup var time: TimeOption

  @Flag(help: "Serve on standard input and output, which is done in any case; some editors give it.")
  var stdio = false

  func run() throws {
    let at = time.at
    let settings = ServerSettings(
      clock: { at?.instant ?? TimeArgument.now }, evidence: evidence, version: Version.current)
    let status = Connection(input: STDIN_FILENO, output: STDOUT_FILENO).serve(LanguageServer(settings))
    if status != 0 { throw ExitCode(status) }
  }
}
