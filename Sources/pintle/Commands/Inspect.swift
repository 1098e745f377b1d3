import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinValidator

/// `pintle inspect`: what a manifest holds.
struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Show the content of a manifest as tables.",
    discussion: """
      With --key or --keyset the manifest is verified first; a rejected one isn't shown. Otherwise it is shown as it is \
      and marked as not verified, or as an unsigned draft.

      EXAMPLES:
        pintle inspect manifest.json
        pintle inspect manifest.json --key release.key.pub
      """)

  @Argument(help: ArgumentHelp("The manifest.", valueName: "manifest"), completion: .file())
  var manifest: String

  @OptionGroup var verification: VerificationOptions

  func run() throws {
    guard let trust = try verification.trust() else {
      try Console.write(Self.unverified(manifest))
      return
    }
    let file = try Input.read(manifest, limit: .manifest)
    let loaded = try trust.load(file, of: manifest, audience: verification.audience).manifest
    let signers = loaded.signedBy.map(trust.name).joined(separator: ", ")
    try Console.write(
      "verified: signed by \(signers)\n" + ManifestText(manifest: loaded.manifest, fileBytes: file.count).text())
  }

  private static func unverified(_ path: String) throws(CommandFailure) -> String {
    let file = try Input.read(path, limit: .manifest)
    do throws(SigningError) {
      let text = ManifestText(
        manifest: try SignedManifest.unverifiedContent(of: file), fileBytes: file.count
      ).text()
      let keys = try SignedManifest.keyIDs(of: file)
      guard !keys.isEmpty else { return "DRAFT: nobody has signed it yet\n" + text }
      let signatures = keys.map { "  \($0.hex)\n" }.joined()
      return "NOT VERIFIED: pass --key or --keyset to verify the signatures\n" + text
        + "\nSIGNATURES, not verified (\(keys.count))\n" + signatures
    } catch {
      if let other = WrongFile.failure(path, file, needed: .manifest), !error.isOfKeyset { throw other }
      throw CommandFailure(
        .failed, "'\(path)' can't be shown: \(error.message)",
        help: error.isOfKeyset ? "'pintle keyset show' shows keysets." : error.help)
    }
  }
}
