import ArgumentParser
import PinPolicy

extension Keys {
  /// `pintle keys rotate`: another key in the place of one.
  struct Rotate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rotate",
      abstract: "Put another key in the place of one, in a keyset's next version.",
      discussion: """
        The new key has the roles that the old one has: root, signer or both. Clients take the version once enough \
        roots of both versions have signed it; manifests that only the old key vouches for are then refused. The old \
        key of a root signs the new version once more, where the threshold of the last version needs it.

        EXAMPLES:
          pintle keys rotate 1.keyset.json ci ci-2=ci-2.pub -o 2.keyset.json \\
            --expires 2027-12-01
          pintle keyset sign 2.keyset.json --against 1.keyset.json --sign-key alice.key
        """)

    @Argument(help: ArgumentHelp("The version that clients have.", valueName: "keyset"), completion: .file())
    var keyset: String

    @Argument(help: ArgumentHelp("The name of the key that goes.", valueName: "old"))
    var old: String

    @Argument(help: ArgumentHelp("The key that comes, under its name.", valueName: "new=file"))
    var new: KeyArgument

    @OptionGroup var next: NextKeysetOptions

    func run() throws {
      try next.make(after: keyset, [.replace(old, with: try new.key())])
    }
  }
}
