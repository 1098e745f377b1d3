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
        For a later expiry, other thresholds, a higher minimum serial, and for several changes of keys at once. One key \
        in the place of another is 'pintle keys rotate', one that goes 'pintle keys revoke'. The file is a draft until \
        enough roots of both versions have signed it.

        EXAMPLES:
          pintle keyset next 1.keyset.json -o 2.keyset.json --expires 2028-06-01
          pintle keyset next 2.keyset.json -o 3.keyset.json --expires same \\
            --add-signer frank=frank.pub --threshold 3
        """)

    @Argument(help: ArgumentHelp("The version that clients have.", valueName: "keyset"), completion: .file())
    var keyset: String

    @OptionGroup var next: NextKeysetOptions

    @Option(
      name: .customLong("add-root"),
      help: ArgumentHelp("Somebody who may sign keysets; give it again for further ones.", valueName: "name=file"))
    var addedRoots: [KeyArgument] = []

    @Option(
      name: .customLong("add-signer"),
      help: ArgumentHelp("Somebody who may sign manifests; give it again for further ones.", valueName: "name=file"))
    var addedSigners: [KeyArgument] = []

    @Option(
      name: .customLong("remove-root"),
      help: ArgumentHelp("Who may no longer sign keysets; give it again for further ones.", valueName: "name"))
    var removedRoots: [String] = []

    @Option(
      name: .customLong("remove-signer"),
      help: ArgumentHelp("Who may no longer sign manifests; give it again for further ones.", valueName: "name"))
    var removedSigners: [String] = []

    func run() throws {
      let edits: [KeysetRequest.Edit] =
        removedRoots.map { .removeRoot($0) } + removedSigners.map { .removeSigner($0) }
        + (try addedRoots.keys().map { .addRoot($0) }) + (try addedSigners.keys().map { .addSigner($0) })
      try next.make(after: keyset, edits)
    }
  }
}
