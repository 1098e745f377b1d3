import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRelease

extension KeysetCommand {
  /// `pintle keyset init`: the first version, which clients are shipped with.
  struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "init",
      abstract: "Make the first version of a keyset.",
      discussion: """
        Roots sign keysets, signers sign manifests. Give every key a name that people know it by. A key that is given \
        to both under one name has both roles. Without --sign-key the file is a draft: it travels from root to root, \
        and each adds a signature with 'pintle sign'. A file that is there is never overwritten.

        For several audiences, -o is a folder, and each keyset is written to AUDIENCE/1.keyset.json in it: all of them, \
        or none.

        EXAMPLES:
          pintle keyset init -o 1.keyset.json --audience production \\
            --root alice=alice.pub --root bob=bob.pub --root carol=carol.pub \\
            --root-threshold 2 --signer ci=ci.pub --signer dora=dora.pub \\
            --signer emil=emil.pub --threshold 2 --expires 2027-12-01
        """)

    @Option(
      name: .shortAndLong,
      help: ArgumentHelp("Where to write it, such as 1.keyset.json; '-' for standard output.", valueName: "file"),
      completion: .file())
    var output: String

    @Option(
      name: .customLong("audience"),
      help: ArgumentHelp(
        "The environment whose manifests it governs, such as production; give it again for a keyset of each further one.",
        valueName: "name"))
    var audiences: [String]

    @Option(
      name: .customLong("root"),
      help: ArgumentHelp(
        "Who signs keysets, and the public key (PEM); give it again for each further one.", valueName: "name=file"))
    var roots: [KeyArgument] = []

    @Option(help: ArgumentHelp("How many roots must sign a keyset.", valueName: "count"))
    var rootThreshold: Int

    @Option(
      name: .customLong("signer"),
      help: ArgumentHelp(
        "Who signs manifests, and the public key (PEM); give it again for each further one.", valueName: "name=file"))
    var signers: [KeyArgument] = []

    @Option(help: ArgumentHelp("How many signers must sign a manifest.", valueName: "count"))
    var threshold: Int

    @Option(
      help: ArgumentHelp("When it expires: an instant or a date.", valueName: "time"), transform: TimeArgument.read)
    var expires: TimeArgument

    @Option(
      help: ArgumentHelp("When it is issued: an instant, a date, or 'now', the default.", valueName: "time"),
      transform: TimeArgument.read)
    var issuedAt: TimeArgument?

    @Option(help: ArgumentHelp("The lowest serial of a manifest that clients accept.", valueName: "serial"))
    var minimumSerial: Int64 = 1

    @OptionGroup var signingKeys: SigningKeyOptions
    @OptionGroup var time: IssueTimeOption
    @OptionGroup var facts: FactsOptions

    func validate() throws {
      try facts.check(output: output)
      if roots.isEmpty { throw ValidationError("Give at least one --root NAME=FILE.") }
      if signers.isEmpty { throw ValidationError("Give at least one --signer NAME=FILE.") }
    }

    func run() throws {
      let issued = issuedAt?.instant ?? TimeArgument.now
      try IssueTime.check(issued, rehearsedAt: time.at)
      let (roots, signers) = (try roots.keys(), try signers.keys())
      var drafts: [KeysetDraft] = []
      for audience in audiences {
        let keyset: Keyset
        do throws(KeysetPlanError) {
          keyset = try KeysetPlan.first(
            audience: audience, issued: issued, expires: expires.instant, minimumSerial: minimumSerial, roots: roots,
            rootThreshold: rootThreshold, signers: signers, threshold: threshold)
        } catch {
          throw CommandFailure(.usage, error.message, help: error.help)
        }
        drafts.append(try KeysetDraft(of: keyset, after: nil))
      }
      for draft in drafts { try draft.present(at: time.instant(for: issued)) }
      try KeysetDraft.write(new: drafts, to: output, signedBy: signingKeys, time, facts)
    }
  }
}
