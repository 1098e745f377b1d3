import ArgumentParser
import PinPolicy
import PinRelease

extension KeysetCommand {
  /// `pintle keyset next`: the next version, with any changes.
  struct Next: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "next",
      abstract: "Make the next version of a keyset.",
      discussion: """
        Use it to extend the expiry, to change thresholds or keys, or to raise the minimum serial. The new file is a \
        draft until enough roots of both versions have signed it. After that, clients don't load manifests that need the \
        signature of a removed key; a manifest that they already use stays in force.

        With --rotate, the new key gets the roles of the old one: root, signer or both. If the last version's threshold \
        needs it, the old key of a root signs the new version once more.

        With --revoke, a key loses all its roles; --add gives them to others. If somebody may have signed manifests with \
        it, set the lowest serial that clients accept (--minimum-serial). If stolen keys \
        signed a manifest with a very high serial, clients accept no later release: restart the serials (--restart).

        If each audience has a folder in the folder of all versions, each gets a next version with the same changes: all \
        of them, or none. -o is then a folder, and each is written to AUDIENCE/N.keyset.json in it.

        EXAMPLES:
          pintle keyset next 1.keyset.json -o 2.keyset.json --expires 2028-06-01
          pintle keyset next 2.keyset.json -o 3.keyset.json --expires same \\
            --add-signer frank=frank.pub --threshold 3
          pintle keyset next 1.keyset.json -o 2.keyset.json --expires 2027-12-01 \\
            --rotate ci=ci-2=ci-2.pub
          pintle keyset next 1.keyset.json -o 2.keyset.json --expires 2027-12-01 \\
            --revoke ci --add ci-2=ci-2.pub --restart 58
        """)

    @Argument(
      help: ArgumentHelp("The version that clients have, or the folder of all versions.", valueName: "keyset"),
      completion: .file())
    var keyset: String

    @OptionGroup var next: NextKeysetOptions

    @Option(
      name: .customLong("rotate"),
      help: ArgumentHelp(
        "Replace the key OLD by the key NEW, whose public key is in FILE. NEW gets the roles of OLD. Repeatable.",
        valueName: "old=new=file"))
    var rotated: [RotatedKeyArgument] = []

    @Option(
      name: .customLong("revoke"),
      help: ArgumentHelp("Remove a key from all its roles. Repeatable; with --add, give only one.", valueName: "name"))
    var revoked: [String] = []

    @Option(
      name: .customLong("add"),
      help: ArgumentHelp("A key that gets the roles of the revoked key. Repeatable.", valueName: "name=file"))
    var added: [KeyArgument] = []

    @Option(
      name: .customLong("add-root"),
      help: ArgumentHelp("A key that may sign keysets. Repeatable.", valueName: "name=file"))
    var addedRoots: [KeyArgument] = []

    @Option(
      name: .customLong("add-signer"),
      help: ArgumentHelp("A key that may sign manifests. Repeatable.", valueName: "name=file"))
    var addedSigners: [KeyArgument] = []

    @Option(
      name: .customLong("remove-root"),
      help: ArgumentHelp("The name of a key that may no longer sign keysets. Repeatable.", valueName: "name"))
    var removedRoots: [String] = []

    @Option(
      name: .customLong("remove-signer"),
      help: ArgumentHelp("The name of a key that may no longer sign manifests. Repeatable.", valueName: "name"))
    var removedSigners: [String] = []

    func validate() throws {
      if !added.isEmpty, revoked.count != 1 {
        throw ValidationError("--add gives the roles of one key to others: give one --revoke.")
      }
    }

    func run() throws {
      let heirs = try added.keys()
      let edits: [KeysetRequest.Edit] =
        (try rotated.map { .replace($0.old, with: try $0.new.key()) })
        + revoked.map { .revoke($0, adding: heirs) } + removedRoots.map { .removeRoot($0) }
        + removedSigners.map { .removeSigner($0) }
        + (try addedRoots.keys().map { .addRoot($0) }) + (try addedSigners.keys().map { .addSigner($0) })
      try next.make(after: keyset, edits)
    }
  }
}
