import ArgumentParser
import Diagnostics
import PinFormat
import PinGate
import PinPolicy
import PinRelease
import PinRules
import PinValidator

/// `pintle verify`: whether a client would take a manifest.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify a manifest's signatures, format, audience and freshness.",
    discussion: """
      Does the checks of a client: counts the signatures of trusted keys, and only then reads the bytes, which must be \
      in canonical form. A stale manifest is rejected too. With --keyset, the keyset says who may sign; its audience, \
      minimum serial and expiry are checked as well.

      --source compiles the policy again and compares the bytes. If they differ, the manifest is rejected and the \
      differences are shown. 'git:COMMIT' is the policy of a commit; 'git:' is the commit that the manifest names. An \
      unsigned draft can be compared without --key.

      --against also requires that clients accept it after what is released: a higher serial, no earlier time, and the \
      last release as predecessor. If it isn't a valid successor, the exit status is 3.

      EXAMPLES:
        pintle verify manifest.json --key release.key.pub --audience production
        pintle verify manifest.json --key a.pub --key b.pub --key c.pub --threshold 2
        pintle verify manifest.json --keyset 2.keyset.json
        pintle verify manifest.json --keyset 2.keyset.json --source git:
        pintle verify manifest.json --keyset 2.keyset.json --format json
        pintle verify released/0008.json --keyset keysets --against released
        pintle verify manifest.json --key release.key.pub --source ../clone/policies
      """)

  @Argument(help: ArgumentHelp("The manifest.", valueName: "manifest"), completion: .file())
  var manifest: String

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

  @OptionGroup var time: TimeOption

  @OptionGroup var facts: FactsOptions

  func run() throws {
    var found = VerificationFacts(file: manifest, instant: time.instant)
    do throws(CommandFailure) {
      try verify(&found)
    } catch {
      if facts.format == .json, error.status == .refused || error.status == .unsafeRotation {
        found.rejection = error
        try Console.write(found.json())
      }
      throw error
    }
    try facts.write(text: found.text(), json: found.json())
    if let manifest = found.loaded?.manifest, let end = ManifestEnd(of: manifest, at: found.instant) {
      Console.warn(end.message, help: ManifestEnd.help(self.manifest))
    }
  }

  /// Verifies it, and notes what is known so far before each step that may reject it.
  private func verify(_ found: inout VerificationFacts) throws(CommandFailure) {
    guard let trust = try verification.trust() else {
      guard let source else { throw Trust.missing(for: manifest) }
      // A draft has no signatures yet, so only its sources can be compared.
      let draft = try SourceVerification(ofDraft: Input.read(manifest, limit: .manifest), at: manifest)
      found.draft = draft.manifest
      found.sources = try Self.verify(draft, from: source)
      return
    }
    let file = try trust.load(manifest, audience: verification.audience)
    let loaded = file.manifest
    found.loaded = loaded
    found.keyset = trust.keyset
    found.signers = trust.signers(loaded.signedBy)
    try loaded.requireAccepted(at: found.instant, by: trust.keyset, of: manifest)
    if let against { found.follows = try release(before: file, in: against, trust) }
    if let source {
      found.sources = try Self.verify(SourceVerification(of: file, at: manifest), from: source)
    }
  }

  /// The release that the manifest follows, which is itself where nothing comes before.
  private func release(
    before file: VerifiedFile, in against: String, _ trust: Trust
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
