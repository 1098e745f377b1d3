import ArgumentParser
import Diagnostics
import OpenSSLKit
import PinExchange
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRules
import PinValidator

/// `pintle verify`: whether a client would take a manifest or a keyset, or pintle an authorities file.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify manifests, keysets and authorities files.",
    discussion: """
      The type of a file is detected from its contents. With --key, --keyset or --audience, it must be a manifest.

      A manifest is checked as a client checks it: first the signatures of trusted keys are counted, and only then the \
      content is read, which must be in canonical form. A stale manifest is rejected too. With --keyset, the keyset says who may sign; its audience, \
      minimum serial and expiry are checked as well.

      --source compiles the policy again and compares the bytes. If they differ, the manifest is rejected and the \
      differences are shown. 'git:COMMIT' is the policy of a commit; 'git:' is the commit that the manifest names. An \
      unsigned draft can be compared without --key.

      --against also requires that clients accept it after what is released: a higher serial, no earlier time, and the \
      last release as predecessor. If it isn't a valid successor, the exit status is 3.

      Of keysets, the first file is trusted as one that was shipped with a client; each further one must be the next \
      version, signed by enough roots of both. Earlier versions may have expired; the newest must be valid. A folder is all \
      files 'N.keyset.json' in it, in order of N.

      Authorities files must match schemas/authorities.schema.json, each statement must name a source, and each key and \
      authority that they refer to must be known. Signed ones are verified with --authorities-keyset.

      EXAMPLES:
        pintle verify manifest.json --key release.key.pub --audience production
        pintle verify manifest.json --key a.pub --key b.pub --key c.pub --threshold 2
        pintle verify manifest.json --keyset 2.keyset.json
        pintle verify manifest.json --keyset 2.keyset.json --source git:
        pintle verify manifest.json --keyset 2.keyset.json --format json
        pintle verify released/0008.json --keyset keysets --against released
        pintle verify manifest.json --key release.key.pub --source ../clone/policies
        pintle verify keysets --audience production --at 2027-06-01
        pintle verify our-cas.yaml
      """)

  @Argument(
    help: ArgumentHelp(
      "A manifest; or keysets, with the shipped one first; or authorities files; or a folder of keysets or authorities files.",
      valueName: "file"),
    completion: .file())
  var files: [String]

  @OptionGroup var verification: VerificationOptions

  @Option(
    help: ArgumentHelp(
      "The policy that it must have been compiled from: a directory, or 'git:[COMMIT][:DIRECTORY]'.",
      valueName: "source"))
  var source: String?

  @Option(
    help: ArgumentHelp(
      "What clients have: the last released manifest, or a directory of all of them.", valueName: "baseline"),
    completion: .file())
  var against: String?

  @Option(
    help: ArgumentHelp("The keyset of the signers of authorities files.", valueName: "path"), completion: .file())
  var authoritiesKeyset: String?

  @OptionGroup var time: TimeOption

  @OptionGroup var facts: FactsOptions

  func run() throws {
    // What somebody verifies with keys of signers isn't a keyset: nothing else says who may sign one.
    let isOfSigners =
      !verification.isEmptyButAudience || source != nil || against != nil
    let subjects = try files.map { file throws(CommandFailure) in try subject(of: file, isOfSigners) }
    let isOfManifest = isOfSigners || verification.audience != nil
    if authoritiesKeyset != nil, isOfManifest {
      throw CommandFailure(
        .usage, "--authorities-keyset verifies authorities files, and the other options a manifest",
        help: "Verify the files one by one.")
    }
    if authoritiesKeyset != nil || !isOfManifest && subjects.allSatisfy({ $0.subject == .authorities }) {
      try refuseStandardInput()
      return try verifyAuthorities()
    }
    if !isOfSigners, subjects.allSatisfy({ $0.subject == .keyset }) {
      try refuseStandardInput()
      return try verifyKeysets()
    }
    guard let first = subjects.first, subjects.count == 1 else {
      throw CommandFailure(
        .usage, "only keysets, or only authorities files, are verified together", help: "Verify the files one by one.")
    }
    if !isOfSigners, first.subject == .evidence || first.subject == .key {
      throw CommandFailure(
        .failed, "\(Input.name(files[0])) is \(first.subject.noun), which nobody signs",
        help: "'pintle show \(ShellWord.of(files[0]))' prints it.")
    }
    try verifyManifest(files[0], first.bytes)
  }

  private func refuseStandardInput() throws(CommandFailure) {
    guard files.contains("-") else { return }
    throw CommandFailure(
      .usage, "only a manifest is verified from standard input", help: "Give the paths of the files.")
  }

  /// What a file is, or all that are in a folder.
  private func subject(
    of path: String, _ isOfSigners: Bool
  ) throws(CommandFailure) -> (bytes: [UInt8], subject: FileSubject) {
    guard !isOfSigners, InputFile.isFolder(path) else { return try FileSubject.read(path) }
    return ([], AuthorityOptions.hasYAML(path) ? .authorities : .keyset)
  }

  private func verifyManifest(_ manifest: String, _ bytes: [UInt8]) throws {
    var found = VerificationFacts(file: manifest, instant: time.instant)
    let trust: Trust?
    do throws(CommandFailure) {
      trust = try verify(manifest, bytes, &found)
    } catch {
      if facts.format == .json, error.status == .refused || error.status == .unsafeRotation {
        found.rejection = error
        try Console.write(found.json())
      }
      throw error
    }
    try facts.write(text: found.text(), json: found.json())
    if let loaded = found.loaded?.manifest, let end = ManifestEnd(of: loaded, at: found.instant) {
      Console.warn(end.message, help: ManifestEnd.help(["--against", manifest] + (trust?.options ?? [])))
    }
  }

  /// Verifies it, and notes what is known so far before each step that may reject it; returns whose signatures count.
  private func verify(
    _ manifest: String, _ bytes: [UInt8], _ found: inout VerificationFacts
  ) throws(CommandFailure) -> Trust? {
    guard let trust = try verification.trust() else {
      guard let source else { throw Trust.missing(for: manifest) }
      // A draft has no signatures yet, so only its sources can be compared.
      let draft = try SourceVerification(ofDraft: bytes, at: manifest)
      found.draft = draft.manifest
      found.sources = try Self.verify(draft, from: source)
      return nil
    }
    let file = try trust.load(
      bytes, of: manifest, audience: verification.audience, against: against ?? "BASELINE")
    let loaded = file.manifest
    found.loaded = loaded
    found.keyset = trust.keyset
    found.signers = trust.signers(loaded.signedBy)
    try loaded.requireAccepted(at: found.instant, by: trust, of: manifest, isAudit: true)
    if let against { found.follows = try release(before: file, at: manifest, in: against, trust) }
    if let source {
      found.sources = try Self.verify(SourceVerification(of: file, at: manifest), from: source)
    }
    return trust
  }

  /// The release that the manifest follows, which is itself where nothing comes before.
  private func release(
    before file: VerifiedFile, at manifest: String, in against: String, _ trust: Trust
  ) throws(CommandFailure) -> ReleasedManifest {
    let released = try ReleasedFiles(trust: trust).all(against, of: file.manifest.audience)
    let digest: SHA256Digest
    do { digest = try file.manifest.signedDigest() } catch { throw CommandFailure(.failed, error.message) }
    do {
      return try Succession.find(
        of: file.manifest, digest: digest, after: released, under: trust.keyset, allowsGap: false
      ).release
    } catch {
      throw CommandFailure(
        error.isOfAudience ? .refused : .unsafeRotation, code: "not-a-successor",
        "'\(manifest)' is rejected: \(error.message)", help: error.help)
    }
  }

  /// Compares it with its sources, says what is worth knowing of them, and returns what messages call them.
  private static func verify(_ compiled: SourceVerification, from source: String) throws(CommandFailure) -> String {
    let sources = try compiled.verify(from: PolicySource(source))
    sources.remarks.forEach { Console.say($0) }
    return sources.name
  }
}

extension Verify {
  /// Checks authorities files: YAML ones by themselves, signed ones by their signers first.
  func verifyAuthorities() throws {
    let latest = AuthorityOptions.latestReview(at: time.instant)
    let checked =
      if let keyset = authoritiesKeyset {
        try AuthorityFiles(SourceSet(signedTexts(keyset)), until: latest)
      } else {
        try AuthorityFiles(unsignedPaths(), until: latest)
      }
    let report = try checked.report(at: time.instant)
    let signers = authoritiesKeyset == nil ? "" : "verified: enough signers of the keyset have signed\n"
    try facts.write(text: signers + TextRenderer().render(report), json: JSONRenderer().render(report))
    if report.diagnostics.contains(where: { $0.severity == .error }) { try ExitStatus.findings.exit() }
  }

  private func unsignedPaths() throws(CommandFailure) -> [String] {
    for path in files where AuthorityOptions.isSigned(path) {
      throw CommandFailure(
        .refused, "'\(VisibleText.of(path))' is signed, but no keyset is given to verify it",
        help: "Pass the keyset of its signers, for example --authorities-keyset 1.keyset.json.")
    }
    return files
  }

  private func signedTexts(_ keyset: String) throws(CommandFailure) -> [SourceSet.File] {
    let walk = try KeysetFiles.walk([keyset], audience: nil)
    return try files.map { path throws(CommandFailure) in
      let bytes = try InputFile.read(path, limit: SignedAuthorities.sizeLimit)
      let text = try SignedAuthorities.text(bytes, of: path, by: walk, at: time.instant)
      return SourceSet.File(path: path, bytes: text)
    }
  }
}

extension Verify {
  /// Walks from the first version, which is trusted as shipped, to the last, as clients do.
  func verifyKeysets() throws {
    var found = KeysetWalkFacts(instant: time.instant)
    let isFine: Bool
    do throws(CommandFailure) {
      isFine = try verifyKeysets(&found)
    } catch {
      if facts.format == .json, error.status == .refused {
        found.rejection = error
        try Console.write(found.json())
      }
      throw error
    }
    if !isFine { try ExitStatus.findings.exit() }
  }

  /// Walks from version to version, and says what was found; false if the rules have errors.
  private func verifyKeysets(_ found: inout KeysetWalkFacts) throws(CommandFailure) -> Bool {
    let walk = try KeysetFiles.walk(files, audience: verification.audience)
    let newest = walk.newest
    found.newest = newest
    var before: KeysetFile?
    for step in walk.steps {
      let file = try KeysetFiles.read(step.path)
      found.versions.append(
        KeysetWalkFacts.Version(
          number: step.trusted.version, file: step.path, signers: try Self.signers(of: file, after: before)))
      before = file
    }
    if facts.format == .text { try Console.write(found.table()) }
    guard time.instant < newest.expires else {
      let path = walk.steps[walk.steps.count - 1].path
      throw CommandFailure(
        .refused, code: "keyset-expired",
        "'\(path)' is rejected: it expired \(newest.expires); clients accept no "
          + "further manifest with it [keyset-expired]",
        help: "Make and release the next version ('pintle keyset next \(ShellWord.of(path)) -o NEXT.json --expires "
          + "DATE'), or give --at for another instant.")
    }
    let last = walk.steps.dropLast().last?.trusted.keyset
    let path = walk.steps.last?.path
    let isFine = KeysetFindings.say(of: newest.keyset, in: path, after: last, at: time.instant)
    try facts.write(
      text: "verified: version \(newest.version) for '\(VisibleText.of(newest.audience))' holds until "
        + "\(newest.expires)\n",
      json: found.json())
    return isFine
  }

  private static func signers(of file: KeysetFile, after previous: KeysetFile?) throws(CommandFailure) -> [String] {
    let signatures: KeysetSignatures
    do {
      signatures = try KeysetSignatures(of: file, after: previous)
    } catch {
      throw CommandFailure(.failed, error.message)
    }
    let names = signatures.tallies.flatMap(\.signed)
    return names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }.map(\.element)
  }
}
