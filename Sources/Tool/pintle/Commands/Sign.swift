import ArgumentParser
import Diagnostics
import Glibc
import PinExchange
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRules

/// `pintle sign`: one more signature on a manifest, a keyset or an authorities file.
struct Sign: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Show what a file changes, and add a signature to it.",
    discussion: """
      Shows what the manifest or draft changes compared with the last release: first what protects less or may lock \
      clients out; then who has signed and who hasn't. On a terminal it asks before it signs; otherwise it signs \
      without asking. The signed bytes stay the same, so the file can go from signer to signer in any order, also to \
      a machine without a network.

      With --detached, the signature goes into a file of its own beside the draft: for draft event/8.json, the file \
      event/8.signatures/KEYID.json. The draft stays as it is. 'pintle event' puts them together.

      In the folder 'event' of a repository, a commit on any branch can withdraw a draft. Such a draft isn't signed. If a \
      commit withdrew only a signature, the draft isn't signed again with the same key.

      The last release is verified with --keyset or --key. The manifest must name it as its predecessor, have a higher \
      serial and the same audience. A first release is shown completely.

      A keyset is signed by roots of its own version and of the one before, which --against names. The signatures that \
      are still missing are shown.

      An authorities file (YAML) is checked, and written with -o as a signed DSSE envelope. If the envelope exists, the \
      signature is added. 'pintle check' accepts it with --authorities and --authorities-keyset if enough signers have \
      signed it.

      EXAMPLES:
        pintle sign draft.json --sign-key alice.key \\
          --against released --keyset 1.keyset.json
        pintle sign draft.json --sign-key bob.key \\
          --against released/0007.json \\
          --key alice.key.pub --key bob.key.pub --threshold 2
        pintle sign first.json --sign-key alice.key -o signed.json
        pintle sign event/8.json --detached --sign-key alice.key \\
          --against released --keyset keysets
        pintle sign 2.keyset.json --against 1.keyset.json --sign-key bob.key
        pintle sign our-cas.yaml --sign-key alice.key -o our-cas.json
      """)

  @Argument(
    help: ArgumentHelp("The manifest, keyset or authorities file; '-' for standard input.", valueName: "file"),
    completion: .file())
  var file: String

  @OptionGroup var signingKeys: SigningKeyOptions
  @OptionGroup var comparison: ReleaseComparisonOptions
  @OptionGroup var verification: VerificationOptions

  @Option(
    help: ArgumentHelp(
      "A public key (PEM) whose signature must be there already; give it again for further ones.", valueName: "file"),
    completion: .file())
  var signedBy: [String] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where to write the signed file; in place unless given, '-' for standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(help: "Write the signature into a file of its own, and leave the draft as it is.")
  var detached = false

  @Option(
    help: ArgumentHelp(
      "The policy that the draft was compiled from, to judge the release: a directory, or 'git:[COMMIT][:DIRECTORY]'; "
        + "unless given, 'policies' if it is there.",
      valueName: "source"))
  var source: String?

  @OptionGroup var evidence: EvidenceOptions

  @Flag(help: "Show each host entry by itself; unless given, those with equal values are shown as one, with all names.")
  var full = false

  @Flag(help: "Sign without asking.")
  var yes = false

  @OptionGroup var time: TimeOption
  @OptionGroup var facts: FactsOptions

  func validate() throws {
    try facts.check(output: output ?? file)
    if signingKeys.isEmpty { throw ValidationError("Give at least one --sign-key.") }
    if detached, output != nil { throw ValidationError("--detached can't be combined with -o.") }
  }

  func run() throws {
    try signingKeys.protectKeys(from: output ?? file)
    let (bytes, found) = try FileSubject.read(file)
    // Where nobody signs such a file, the message about it as a manifest says so.
    let subject = [.keyset, .authorities].contains(found) ? found : .manifest
    try refuseOptions(of: subject)
    switch subject {
    case .keyset: try signKeyset(bytes)
    case .authorities: try signAuthorities(bytes)
    default: try signManifest(bytes)
    }
  }

  private func refuseOptions(of subject: FileSubject) throws(CommandFailure) {
    try subject.refuse(
      [
        ("--key", !verification.keys.isEmpty), ("--keyset", verification.keyset != nil),
        ("--threshold", verification.threshold != nil), ("--audience", verification.audience != nil),
        ("--signed-by", !signedBy.isEmpty), ("--skipped-release", comparison.skippedRelease),
        ("--first-release", comparison.firstRelease), ("--without-comparison", comparison.withoutComparison),
        ("--source", source != nil), ("--evidence", evidence.evidence != nil), ("--full", full),
      ], for: [.manifest], at: file)
    try subject.refuse(
      [
        ("--against", comparison.against != nil), ("--detached", detached),
        ("--format json", facts.format == .json),
      ], for: [.manifest, .keyset], at: file)
  }

  private func signManifest(_ bytes: [UInt8]) throws {
    let ceremony = try SigningCeremony(path: file, verification: verification, at: time.instant)
    let draft = try ceremony.read(bytes, audience: verification.audience, signedBy: signedBy)
    let apart = detached ? try DetachedFiles(of: file) : nil
    let (subject, withdrawn) = (SignedSubject(draft), try WithdrawnDrafts(besides: file))
    try withdrawn?.refuse(subject, draft.digest, at: file)
    let keys = ceremony.known?.members.map { (name: $0.name, id: $0.key.id, publicKey: $0.key.publicKey) } ?? []
    let counting = try withdrawn?.counting(keys, subject, draft.digest) ?? keys.map(\.id)
    let joined =
      try apart.map { (apart) throws(CommandFailure) in
        try ceremony.joined(draft, with: apart, counting: counting)
      } ?? draft
    try IssueTime.check(joined.manifest.issued)
    let compared = try ceremony.compare(
      joined, with: comparison.against, isUnasked: comparison.withoutComparison, isFirst: comparison.firstRelease,
      allowsGap: comparison.skippedRelease)
    let present = joined.signatures.map(\.keyID)
    let standings = SignatureStandings(known: ceremony.known, present: present)
    let review = SigningReview(
      file: joined, comparison: compared, verdict: try verdict(on: joined, compared), standings: standings,
      whyUnsafe: try DraftReason.read(besides: file), isFull: full)
    Console.say(try review.text())
    if !yes, Confirmation.isPossible, !Confirmation.ask("Sign this? Type yes: ") {
      throw CommandFailure(.failed, "not signed: the answer wasn't yes", help: "Nothing was written.")
    }
    let signers = try signingKeys.signers(known: ceremony.known?.keys.map(\.publicKey) ?? [])
    try SignerMistake.refuse(signers, pinnedBy: joined.manifest)
    let signed = try ceremony.sign(joined, by: signers)
    try withdrawn?.refuse(
      subject, draft.digest,
      signedBy: signers.flatMap(\.keys).filter { signed.added.contains($0.id) }.map { key in
        (ceremony.known?.name(of: key.id) ?? key.id.hex, key.id, key.publicKey)
      })
    try ceremony.requireUnchanged(draft, writingTo: output)
    if let apart {
      try apart.write(signed.signatures.filter { !present.contains($0.keyID) }, over: joined.digest)
    } else {
      try SignatureLoss.prevent(by: signed.bytes, .manifest, at: output ?? file)
      try Output.write(signed.bytes, to: output ?? file)
    }
    for id in signed.added {
      let name = ceremony.known?.name(of: id) ?? id.hex
      Console.say(present.contains(id) ? "\(name) had signed it before" : "signed by \(name)")
    }
    let standing = ceremony.known.map { "; " + $0.standing(signed.signatures.map(\.keyID)) } ?? ""
    Console.say("\(counted(signed.signatures.count, "signature")) in all\(standing)")
    let path = apart?.path(signed.added[0]) ?? output ?? file
    try facts.write(text: nil, json: SigningFacts(review: review, signed: signed, output: path).json())
  }
}

extension Sign {
  /// What `diff` says of the release, from its sources: a verdict that came with the draft would be the builder's word.
  private func verdict(
    on draft: SignableManifest, _ comparison: SigningCeremony.Comparison
  ) throws(CommandFailure) -> ReleaseVerdict? {
    if case .unasked = comparison { return .notChecked(because: "it is compared with no release") }
    guard case .release(.after(let last, _)) = comparison, let trust = try verification.trust(),
      let against = self.comparison.against
    else { return nil }
    guard source != nil || InputFile.isFolder("policies") else {
      return .notChecked(because: "the policy isn't here; pass it with --source")
    }
    let released = try ReleasedFiles(trust: trust).all(against, of: draft.manifest.audience)
      .prefix { $0.digest != draft.digest }
    let evidence = try self.evidence.load()
    do throws(CommandFailure) {
      let policy = try SourceVerification(of: draft, at: file).policy(from: PolicySource(source ?? "policies"))
      // Not only as of its issue time, which its builder chose.
      return try ReleaseVerdict(
        of: policy, as: draft.manifest, after: last.manifest, among: Array(released),
        at: max(draft.manifest.issued, time.instant)
      ) { evidence.add(to: &$0) }
    } catch {
      // The same sources, but other bytes: it was changed after it was compiled. And what somebody names has to fit.
      guard source == nil, error.code != "other-bytes" else { throw error }
      return .notChecked(
        because: error.code == "other-sources"
          ? "the draft wasn't compiled from 'policies'; pass its policy with --source" : error.message)
    }
  }

  /// Checks an authorities file, and adds a signature to the envelope of its text.
  func signAuthorities(_ text: [UInt8]) throws {
    guard let output, output != "-", !SignedAuthorities.isEnvelope(text) else {
      throw CommandFailure(
        .usage, "'\(VisibleText.of(file))' is signed in an envelope of its own",
        help: "Give the YAML file, and with -o the envelope: a signature is added to one that is there.")
    }
    let latest = try AuthorityOptions.latestReview(at: time.instant)
    try AuthorityFiles(SourceSet([SourceSet.File(path: file, bytes: text)]), until: latest)
      .requireUsable(at: time.instant, help: "Nothing was signed. Fix the errors above first.")
    var signed = try envelope(of: text, at: output)
    let count = signed.signatures.count
    do { try signed.add(signingKeys.signers()) } catch let failure as SignerFailure {
      throw CommandFailure(
        .failed, "'\(VisibleText.of(file))' can't be signed: \(failure.message)", help: failure.help)
    }
    try Output.write(signed.bytes, to: output)
    Console.say(
      "signed \(VisibleText.of(output)): \(counted(signed.signatures.count, "signature"))"
        + (count > 0 ? ", \(count) of them from before" : ""))
  }

  /// The envelope that exists already, or a new one.
  private func envelope(of text: [UInt8], at output: String) throws -> SignedAuthorities {
    guard access(output, F_OK) == 0 else { return SignedAuthorities(unsigned: text) }
    guard let bytes = try? InputFile.read(output, limit: SignedAuthorities.sizeLimit),
      let present = try? SignedAuthorities(envelope: bytes), present.text == text
    else {
      throw CommandFailure(
        .failed, "'\(VisibleText.of(output))' exists, and isn't an envelope with the same text",
        help: "Nothing was signed. Give -o another path, or remove that file first.")
    }
    return present
  }
}

extension Sign {
  /// Shows what a keyset says or changes, and adds a root's signature to it.
  func signKeyset(_ bytes: [UInt8]) throws {
    let file = try KeysetFiles.keyset(in: bytes, of: self.file)
    try IssueTime.check(file.keyset.issued)
    let apart = detached ? try DetachedFiles(of: self.file) : nil
    let withdrawn = try WithdrawnDrafts(besides: self.file)
    try withdrawn?.refuse(SignedSubject(file), file.digest(), at: self.file)
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
      try SignatureLoss.prevent(by: signed.file.bytes, .keyset, at: output ?? self.file)
      try Output.write(signed.file.bytes, to: output ?? self.file)
    }
    try signed.sayWhatIsThere(in: output ?? self.file, facts)
  }

  /// The draft with the signatures that are beside it.
  private func joined(
    _ file: KeysetFile, with apart: DetachedFiles?, without withdrawn: WithdrawnDrafts?,
    after previous: KeysetFiles.Trusted?
  ) throws(CommandFailure) -> KeysetDraft {
    let draft = try KeysetDraft(file, path: self.file, after: previous)
    guard let apart else { return draft }
    let keys = draft.roots.map { (name: $0.name, id: $0.keyID, publicKey: $0.publicKey) }
    let counting = try withdrawn?.counting(keys, SignedSubject(file), file.digest()) ?? keys.map(\.id)
    let others = try apart.read(over: file.digest(), of: counting)
    return try KeysetDraft(file.joined(with: others), path: self.file, after: previous)
  }

  /// Refuses to write over a file that somebody else has signed meanwhile.
  private func requireUnchanged(_ file: KeysetFile) throws(CommandFailure) {
    guard self.file != "-", output.map({ InputFile.isSame($0, self.file) }) ?? true else { return }
    guard try Input.read(self.file, limit: .keyset) == file.bytes else {
      throw CommandFailure(
        .failed, "'\(self.file)' isn't what it was when it was shown: somebody changed it meanwhile",
        help: "Nothing was written. Look at it again.")
    }
  }

  private func previous(
    of file: KeysetFile
  ) throws(CommandFailure) -> KeysetFiles.Trusted? {
    let version = file.keyset.version
    if let against = comparison.against {
      guard version > 1 else {
        throw CommandFailure(
          .usage, "'\(self.file)' is version 1: there is no version before it", help: "Remove --against.")
      }
      return try KeysetFiles.trusted(against)
    }
    guard version == 1 else {
      throw CommandFailure(
        .usage, "'\(self.file)' is version \(version): signers are shown what changes since the version before",
        help: "Give the version that clients have: --against \(version - 1).keyset.json.")
    }
    return nil
  }
}
