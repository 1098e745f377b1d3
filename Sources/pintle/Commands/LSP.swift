import ArgumentParser
import Glibc
import PinFormat
import PinLanguageServer

/// `pintle lsp`: what editors start, to show findings while a policy is typed.
struct LSP: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lsp",
    abstract: "Serve editors: findings while a policy is typed.",
    discussion: """
      Speaks the Language Server Protocol (3.17) on standard input and output; an editor starts it, and docs/editors.md \
      says how. What is unsaved in the editor counts, whatever is on disk. The server writes no \
      file and asks no network.

      A file belongs to the nearest directory above it with a manifest.yaml, as it does for 'pintle check'. YAML files \
      of no policy are left alone.

      EXAMPLES:
        pintle lsp
        pintle lsp --at 2027-06-01
      """)

  @OptionGroup var time: TimeOption

  @Flag(help: "Serve on standard input and output, which is done in any case; some editors give it.")
  var stdio = false

  func run() throws {
    let at = time.at
    let settings = ServerSettings(
      clock: { at?.instant ?? TimeArgument.now }, version: Version.current)
    let status = Connection(input: STDIN_FILENO, output: STDOUT_FILENO).serve(LanguageServer(settings))
    if status != 0 { throw ExitCode(status) }
  }
}
