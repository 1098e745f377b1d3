import ArgumentParser
import PinPolicy
import PinRelease

extension Keys {
  /// `pintle keys revoke`: a key that may sign nothing any more.
  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "revoke",
      abstract: "Remove a key from a keyset, in its next version.",
      discussion: """
        The key loses all its roles; --add gives them to others. If somebody may have signed manifests with it, set \
        the lowest serial that clients accept (--minimum-serial). If clients accepted one with a serial so high that \
        no release comes after it, let serials begin again (--restart-serials-at).

        EXAMPLES:
          pintle keys revoke 1.keyset.json ci -o 2.keyset.json \\
            --expires same --threshold 2
          pintle keys revoke 1.keyset.json ci --add ci-2=ci-2.pub -o 2.keyset.json \\
            --expires 2027-12-01 --restart-serials-at 58
        """)

    @Argument(help: ArgumentHelp("The version that clients have.", valueName: "keyset"), completion: .file())
    var keyset: String

    @Argument(help: ArgumentHelp("The name of the key that goes.", valueName: "name"))
    var name: String

    @Option(
      name: .customLong("add"),
      help: ArgumentHelp("A key that comes, under its name; give it again for further ones.", valueName: "name=file"))
    var added: [KeyArgument] = []

    @OptionGroup var next: NextKeysetOptions

    func run() throws {
      try next.make(after: keyset, [.revoke(name, adding: try added.keys())])
    }
  }
}
