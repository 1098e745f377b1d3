import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinValidator

/// `pintle inspect`: what a manifest holds.
struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show the content of a manifest as tables or JSON.",
    discussion: """
      With --key or --keyset the manifest is verified first; a rejected one isn't shown. Otherwise it is shown as it is \
      and marked as not verified, or as an unsigned draft.

      EXAMPLES:
        pintle inspect manifest.json
        pintle inspect manifest.json --key release.key.pub
        pintle inspect manifest.json --key release.key.pub --format json
      """)

  @Argument(help: ArgumentHelp("The manifest.", valueName: "manifest"), completion: .file())
  var manifest: String

  @OptionGroup var verification: VerificationOptions

  @OptionGroup var facts: FactsOptions

  func run() throws {
    let found = try inspection()
    try facts.write(text: found.text(), json: found.json())
  }

  private func inspection() throws(CommandFailure) -> InspectionFacts {
    let trust = try verification.trust()
    let file = try Input.read(manifest, limit: .manifest)
    guard let trust else { return try unverified(file) }
    let loaded = try trust.load(file, of: manifest, audience: verification.audience).manifest
    return InspectionFacts(
      file: manifest, state: .verified, manifest: loaded.manifest, bytes: file.count,
      signers: trust.signers(loaded.signedBy))
  }

  private func unverified(_ file: [UInt8]) throws(CommandFailure) -> InspectionFacts {
    do throws(SigningError) {
      let content = try SignedManifest.unverifiedContent(of: file)
      let keys = try SignedManifest.keyIDs(of: file)
      return InspectionFacts(
        file: manifest, state: keys.isEmpty ? .draft : .notVerified, manifest: content, bytes: file.count,
        signers: keys.map { ($0, nil) })
    } catch {
      if let other = WrongFile.failure(manifest, file, needed: .manifest), !error.isOfKeyset { throw other }
      throw CommandFailure(
        .failed, "'\(manifest)' can't be shown: \(error.message)",
        help: error.isOfKeyset ? "'pintle keyset show' shows keysets." : error.help)
    }
  }
}
