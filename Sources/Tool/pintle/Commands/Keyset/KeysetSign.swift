import ArgumentParser
import Diagnostics
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRules

extension KeysetCommand {
  /// `pintle keyset sign`: one more signature on a keyset.
  struct Sign: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "sign",
      abstract: "Add a root's signature to a keyset.",
      discussion: """
        Shows in words what is signed: of a first version all of it, of a later one what it changes in the version \
        before, which --against names. On a terminal it asks before it signs; elsewhere it goes on. Then it adds the \
        signature of a root of either version and shows which are still missing. The signed bytes never change, so the \
        file can travel from root to root.

        With --detached, the signature goes into a file of its own beside the draft, as 'pintle sign' does it. In the \
        folder 'event' of a repository, what a commit of any branch withdrew isn't signed, as with 'pintle sign'.

        EXAMPLES:
          pintle keyset sign 1.keyset.json --sign-key alice.key
          pintle keyset sign 2.keyset.json --against 1.keyset.json --sign-key bob.key
          pintle keyset sign event/2.keyset.json --detached \\
            --against keysets/1.keyset.json --sign-key bob.key
        """)

    @Argument(help: ArgumentHelp("The keyset, a draft or signed by others.", valueName: "keyset"), completion: .file())
    var keyset: String

    @Option(
      help: ArgumentHelp("The version before, as clients have it; a first version has none.", valueName: "keyset"),
      completion: .file())
    var against: String?

    @OptionGroup var signingKeys: SigningKeyOptions

    @Option(
      name: .shortAndLong,
      help: ArgumentHelp(
        "Where to write the signed keyset; in place unless given, '-' for standard output.", valueName: "file"),
      completion: .file())
    var output: String?

    @Flag(help: "Write the signature into a file of its own, and leave the draft as it is.")
    var detached = false

    @Flag(help: "Sign without asking.")
    var yes = false

    @OptionGroup var time: TimeOption
    @OptionGroup var facts: FactsOptions

    func validate() throws {
      try facts.check(output: output ?? keyset)
      if signingKeys.isEmpty { throw ValidationError("Give at least one --sign-key.") }
      if detached, output != nil { throw ValidationError("--detached can't be combined with -o.") }
    }

    func run() throws {
      try signingKeys.protectKeys(from: output ?? keyset)
      let file = try KeysetFiles.read(keyset)
      try IssueTime.check(file.keyset.issued)
      let apart = detached ? try DetachedFiles(of: keyset) : nil
      let withdrawn = try WithdrawnDrafts(besides: keyset)
      try withdrawn?.refuse(SignedSubject(file), file.digest(), at: keyset)
      let draft = try joined(file, with: apart, without: withdrawn, after: try previous(of: file))
      try draft.present(at: time.instant)
      if !yes, Confirmation.isPossible, !Confirmation.ask("Sign this? Type yes: ") {
        throw CommandFailure(.failed, "not signed: the answer wasn't yes", help: "Nothing was written.")
      }
      let signed = try draft.signing(with: signingKeys)
      let added = signed.file.signatures.filter { !draft.file.signatures.contains($0) }.map(\.keyID)
      try withdrawn?.refuse(
        SignedSubject(file), file.digest(),
        signedBy: draft.roots.filter { added.contains($0.keyID) }.map { ("'\($0.name)'", $0.keyID, $0.publicKey) })
      try requireUnchanged(file)
      if let apart {
        let present = Set(draft.file.signatures)
        try apart.write(signed.file.signatures.filter { !present.contains($0) }, over: file.digest())
      } else {
        try SignatureLoss.prevent(by: signed.file.bytes, .keyset, at: output ?? keyset)
        try Output.write(signed.file.bytes, to: output ?? keyset)
      }
      try signed.sayWhatIsThere(in: output ?? keyset, facts)
    }

    /// The draft with the signatures that are beside it.
    private func joined(
      _ file: KeysetFile, with apart: DetachedFiles?, without withdrawn: WithdrawnDrafts?,
      after previous: KeysetFiles.Trusted?
    ) throws(CommandFailure) -> KeysetDraft {
      let draft = try KeysetDraft(file, path: keyset, after: previous)
      guard let apart else { return draft }
      let keys = draft.roots.map { (name: $0.name, id: $0.keyID, publicKey: $0.publicKey) }
      let counting = try withdrawn?.counting(keys, SignedSubject(file), file.digest()) ?? keys.map(\.id)
      let others = try apart.read(over: file.digest(), of: counting)
      return try KeysetDraft(file.joined(with: others), path: keyset, after: previous)
    }

    /// Refuses to write over a file that somebody else has signed meanwhile.
    private func requireUnchanged(_ file: KeysetFile) throws(CommandFailure) {
      guard keyset != "-", output.map({ InputFile.isSame($0, keyset) }) ?? true else { return }
      guard try Input.read(keyset, limit: .keyset) == file.bytes else {
        throw CommandFailure(
          .failed, "'\(keyset)' isn't what it was when it was shown: somebody changed it meanwhile",
          help: "Nothing was written. Look at it again.")
      }
    }

    private func previous(
      of file: KeysetFile
    ) throws(CommandFailure) -> KeysetFiles.Trusted? {
      let version = file.keyset.version
      if let against {
        guard version > 1 else {
          throw CommandFailure(
            .usage, "'\(keyset)' is version 1: there is no version before it", help: "Remove --against.")
        }
        return try KeysetFiles.trusted(against)
      }
      guard version == 1 else {
        throw CommandFailure(
          .usage, "'\(keyset)' is version \(version): signers are shown what changes since the version before",
          help: "Give the version that clients have: --against \(version - 1).keyset.json.")
      }
      return nil
    }
  }
}
