import ArgumentParser
import Diagnostics
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

      The manifests of several audiences are signed together, and so are their keysets: give the folder in which each \
      audience has its own. Each is shown, with a question below it; if one answer isn't yes, or one of them can't be \
      signed, nothing is written. --keyset and --against are then folders in which each audience has its own, too.

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
        pintle sign event --sign-key alice.key \\
          --against released --keyset keysets
        pintle sign 2.keyset.json --against 1.keyset.json --sign-key bob.key
        pintle sign our-cas.yaml --sign-key alice.key -o our-cas.json
      """)

  @Argument(
    help: ArgumentHelp(
      "The manifest, keyset or authorities file; several, or a folder, for the drafts of all audiences; '-' for standard "
        + "input.", valueName: "file"),
    completion: .file())
  var files: [String]

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
    try facts.check(output: output ?? files[0])
    if signingKeys.isEmpty { throw ValidationError("Give at least one --sign-key.") }
    if detached, output != nil { throw ValidationError("--detached can't be combined with -o.") }
  }

  /// A file to sign.
  struct Draft {
    var path: String
    var bytes: [UInt8]
  }

  func run() throws {
    var drafts: [Draft] = []
    var subject: FileSubject?
    for path in try paths() {
      try signingKeys.protectKeys(from: output ?? path)
      let (bytes, found) = try FileSubject.read(path)
      // Where nobody signs such a file, the message about it as a manifest says so.
      let kind = [.keyset, .authorities].contains(found) ? found : .manifest
      try refuseOptions(of: kind, at: path)
      if let subject, subject != kind || kind == .authorities {
        throw CommandFailure(
          .usage, "\(Input.name(path)) is \(kind.noun), and \(Input.name(drafts[0].path)) is \(subject.noun)",
          help: "Sign them one after the other, a keyset before the manifests that need it.")
      }
      subject = kind
      drafts.append(Draft(path: path, bytes: bytes))
    }
    switch subject {
    case .keyset: try signKeysets(drafts)
    case .authorities: try signAuthorities(drafts[0])
    default: try signManifests(drafts)
    }
  }

  /// The files, and those in the folders.
  private func paths() throws -> [String] {
    var paths: [String] = []
    for file in files { paths += InputFile.isFolder(file) ? try ReleasedFiles.drafts(in: file) : [file] }
    guard paths.count > 1 else { return paths }
    for (option, isGiven) in [("-o", output != nil), ("--format json", facts.format == .json)] where isGiven {
      throw CommandFailure(
        .usage, "\(option) is for one file, and there are \(paths.count)", help: "Remove it, or sign them one by one.")
    }
    return paths
  }

  private func refuseOptions(of subject: FileSubject, at path: String) throws(CommandFailure) {
    try subject.refuse(
      [
        ("--key", !verification.keys.isEmpty), ("--keyset", verification.keyset != nil),
        ("--threshold", verification.threshold != nil), ("--audience", verification.audience != nil),
        ("--signed-by", !signedBy.isEmpty), ("--skipped-release", comparison.skippedRelease),
        ("--first-release", comparison.firstRelease), ("--without-comparison", comparison.withoutComparison),
        ("--source", source != nil), ("--evidence", evidence.evidence != nil), ("--full", full),
      ], for: [.manifest], at: path)
    try subject.refuse(
      [
        ("--against", comparison.against != nil), ("--detached", detached),
        ("--format json", facts.format == .json),
      ], for: [.manifest, .keyset], at: path)
  }

  /// Refuses two drafts for the same: of two for an audience, its clients would reject the second.
  func refuseTwo(_ drafts: [(path: String, use: String)]) throws(CommandFailure) {
    for (number, draft) in drafts.enumerated() {
      guard let other = drafts[..<number].first(where: { $0.use == draft.use }) else { continue }
      throw CommandFailure(
        .usage, "\(Input.name(other.path)) and \(Input.name(draft.path)) are both for \(draft.use)",
        help: "Nothing was signed. Sign the one that will be released: name it.")
    }
  }

  /// Asks whether to sign what is shown above.
  func ask(_ number: Int, of count: Int) throws(CommandFailure) {
    let which = count == 1 ? "" : " (\(number + 1) of \(count))"
    guard !yes, Confirmation.isPossible, !Confirmation.ask("Sign this\(which)? Type yes: ") else { return }
    throw CommandFailure(.failed, "not signed: the answer wasn't yes", help: "Nothing was written.")
  }

  /// Says which file the following is about, if there are several.
  func say(_ path: String, _ number: Int, of count: Int) {
    if count > 1 { Console.say("\(number == 0 ? "" : "\n")\(VisibleText.of(path)) (\(number + 1) of \(count))") }
  }

  /// The signed file, in place of the draft unless -o says where.
  func file(_ bytes: [UInt8], _ content: SignedContent, for path: String) throws(CommandFailure) -> OutputFiles.File {
    try SignatureLoss.prevent(by: bytes, content, at: output ?? path)
    return OutputFiles.File(path: output ?? path, bytes: bytes)
  }

  /// Writes one file, or several together; none if nobody signed anything new beside a draft.
  func write(_ files: [OutputFiles.File]) throws(CommandFailure) {
    if files.count == 1 {
      try Output.write(files[0].bytes, to: files[0].path)
    } else {
      try OutputFiles(files).write()
    }
    guard detached else { return }
    for file in files { Console.say("wrote \(VisibleText.of(file.path)): commit this file alone") }
  }
}
