import ArgumentParser
import Diagnostics
import PinPolicy
import PinRelease

extension KeysetCommand {
  /// `pintle keyset show`: what a keyset says, no matter who signed it.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Show what a keyset says, and who has signed it.",
      discussion: """
        Works on drafts, too. Nothing is trusted by it: 'pintle keyset verify' says whether clients would take it. With \
        --against, signatures of roots of the version before have their names.

        EXAMPLES:
          pintle keyset show 2.keyset.json --against 1.keyset.json
          pintle keyset show 2.keyset.json --format json
        """)

    @Argument(help: ArgumentHelp("The keyset, which may be a draft.", valueName: "keyset"), completion: .file())
    var keyset: String

    @Option(help: ArgumentHelp("The version before.", valueName: "keyset"), completion: .file())
    var against: String?

    @OptionGroup var facts: FactsOptions

    func run() throws {
      let description = try KeysetDescription(
        KeysetFiles.read(keyset), after: try against.map { path throws(CommandFailure) in try KeysetFiles.read(path) })
      try facts.write(text: description.text(), json: description.json())
    }
  }
}
