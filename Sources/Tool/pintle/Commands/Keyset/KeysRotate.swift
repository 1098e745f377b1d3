import ArgumentParser
import PinPolicy
import PinRelease

extension Keys {
  /// `pintle keys rotate`: another key in the place of one.
  struct Rotate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rotate",
      abstract: "Replace a key, in a keyset's next version.",
      discussion: """
        The new key gets the roles of the old one: root, signer or both. Clients accept the version once enough roots \
        of both versions have signed it; manifests that depend on the old key's signature are then rejected. If the \
        last version's threshold needs it, the old key of a root signs the new version once more.

        EXAMPLES:
          pintle keys rotate 1.keyset.json ci ci-2=ci-2.pub -o 2.keyset.json \\
            --expires 2027-12-01
          pintle sign 2.keyset.json --against 1.keyset.json --sign-key alice.key
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
