import ArgumentParser
import Diagnostics
import OpenSSLKit
import PinExchange
import PinFormat
import PinPolicy
import PinProbe
import PinRelease
import PinRules
import PinStudies
import PinValidator

/// `pintle show`: what a file holds.
struct Show: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the contents of a file that pintle wrote.",
    discussion: """
      Shows manifests, keysets, records of live servers, authorities files and signing keys; the type of a file is \
      detected from its contents. Drafts are shown too. Showing a file doesn't make it trusted.

      With --key or --keyset, a manifest is verified first; a rejected one isn't shown. Otherwise it is shown as it is \
      and marked as not verified, or as an unsigned draft. With --against, signatures by roots of the previous \
      keyset are shown with their names.

      A signature names its key by the key's id: SHA-256 over the public key's SubjectPublicKeyInfo. If a private key has \
      a passphrase, PATH.pub is shown instead, unless --passphrase-fd gives the passphrase.

      EXAMPLES:
        pintle show manifest.json --key release.key.pub
        pintle show 2.keyset.json --against 1.keyset.json
        pintle show fleet.json --format json
        pintle show alice.pub bob.pub
      """)

  @Argument(help: ArgumentHelp("The file. For keys, several files.", valueName: "file"), completion: .file())
  var files: [String]

  @OptionGroup var verification: VerificationOptions

  @Option(help: ArgumentHelp("For a keyset: its previous version.", valueName: "keyset"), completion: .file())
  var against: String?

  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var time: TimeOption
  @OptionGroup var facts: FactsOptions

  func run() throws {
    let passphrases = try passphrase.source()
    var keys: [(file: String, key: SigningKeyFile.Description)] = []
    for file in files {
      try SigningKeyFile.refuseCommand(file)
      var (bytes, subject) = try FileSubject.read(file)
      defer { wipe(&bytes) }
      try refuseOptions(subject, of: file)
      if subject == .key {
        keys.append((file, try SigningKeyFile.describe(file, bytes, passphrases)))
      } else if files.count == 1 {
        return try show(bytes, subject, of: file)
      } else {
        throw CommandFailure(
          .usage, "\(Input.name(file)) is \(subject.noun), and only keys are shown together",
          help: "Show the files one by one.")
      }
    }
    try facts.write(text: SignerKeyFacts.text(keys), json: SignerKeyFacts.json(keys))
  }

  private func refuseOptions(_ subject: FileSubject, of file: String) throws(CommandFailure) {
    try subject.refuse(
      [
        ("--key", !verification.keys.isEmpty), ("--keyset", verification.keyset != nil),
        ("--threshold", verification.threshold != nil), ("--audience", verification.audience != nil),
      ], for: [.manifest], at: file)
    try subject.refuse([("--against", against != nil)], for: [.keyset], at: file)
    try subject.refuse([("--passphrase-fd", passphrase.descriptor != nil)], for: [.key], at: file)
    try subject.refuse([("--at", time.at != nil)], for: [.authorities], at: file)
  }

  private func show(_ bytes: [UInt8], _ subject: FileSubject, of file: String) throws {
    switch subject {
    case .manifest, .key:
      let found = try manifest(bytes, file)
      try facts.write(text: found.text(), json: found.json())
    case .keyset:
      let previous = try against.map { path throws(CommandFailure) in try KeysetFiles.read(path) }
      let found = try KeysetDescription(KeysetFiles.keyset(in: bytes, of: file), after: previous)
      try facts.write(text: found.text(), json: found.json())
    case .evidence:
      let found = try EvidenceFile.evidence(in: bytes, of: file)
      try facts.write(text: EvidenceText(evidence: found).text(), json: EvidenceJSON(evidence: found).text())
    case .authorities:
      let known = try authorities(bytes, file)
      let text = AuthorityText(known)
      let details = text.names.compactMap { text.details(of: $0, citesAll: true) }.map { "\n" + $0 }
      try facts.write(text: text.list + details.joined(), json: known.json())
    }
  }

  /// What the file says of authorities, no matter who signed it.
  private func authorities(_ bytes: [UInt8], _ file: String) throws(CommandFailure) -> Authorities {
    var text = bytes
    if SignedAuthorities.isEnvelope(bytes) {
      do { text = try SignedAuthorities(envelope: bytes).text } catch {
        throw CommandFailure(.failed, "'\(VisibleText.of(file))' can't be shown: \(error.message)")
      }
    }
    let latest = AuthorityOptions.latestReview(at: time.instant)
    let files = AuthorityFiles(SourceSet([SourceSet.File(path: file, bytes: text)]), until: latest)
    try files.requireUsable(at: time.instant, help: "Fix the errors above first.")
    return Authorities(files.files, at: time.instant)
  }

  private func manifest(_ bytes: [UInt8], _ file: String) throws(CommandFailure) -> InspectionFacts {
    guard let trust = try verification.trust() else { return try unverified(bytes, file) }
    let loaded = try trust.load(bytes, of: file, audience: verification.audience).manifest
    return InspectionFacts(
      file: file, state: .verified, manifest: loaded.manifest, bytes: bytes.count,
      signers: trust.signers(loaded.signedBy))
  }

  private func unverified(_ bytes: [UInt8], _ file: String) throws(CommandFailure) -> InspectionFacts {
    do throws(SigningError) {
      let content = try SignedManifest.unverifiedContent(of: bytes)
      let keys = try SignedManifest.keyIDs(of: bytes)
      return InspectionFacts(
        file: file, state: keys.isEmpty ? .draft : .notVerified, manifest: content, bytes: bytes.count,
        signers: keys.map { ($0, nil) })
    } catch {
      throw WrongFile.failure(file, bytes, needed: .shown)
        ?? CommandFailure(.failed, "'\(file)' can't be shown: \(error.message)", help: error.help)
    }
  }
}

/// What `pintle show` prints of signing keys, in the order in which their files were given.
enum SignerKeyFacts {
  typealias Key = (file: String, key: SigningKeyFile.Description)

  static func text(_ keys: [Key]) -> String {
    var table = Table()
    for (file, key) in keys { table.add(key.id.hex, key.algorithm, VisibleText.of(file)) }
    return table.text()
  }

  static func json(_ keys: [Key]) -> String {
    Facts.text("keys-show") { writer in
      writer.array("keys") { writer in
        for (file, key) in keys {
          writer.object { writer in
            writer.signer(key.id, name: nil)
            writer.member("algorithm", key.algorithm)
            writer.member("file", file)
            writer.member("readFrom", key.path)
          }
        }
      }
    }
  }
}
