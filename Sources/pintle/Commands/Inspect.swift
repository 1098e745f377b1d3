import ArgumentParser
import PinCompiler
import PinFormat

/// `pintle inspect`: what a manifest holds.
struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what a manifest holds, as tables.",
    discussion: """
      With --key the manifest is verified first, and nothing is shown of one that is refused. Without, it is shown as
      it is and marked as not verified.

      EXAMPLES:
        pintle inspect manifest.json
        pintle inspect manifest.json --key release.key.pub
      """)

  @Argument(help: ArgumentHelp("The manifest.", valueName: "manifest"))
  var manifest: String

  @OptionGroup var verification: VerificationOptions

  func run() throws {
    if verification.keys.isEmpty {
      let file = try Input.read(manifest, limit: .manifest)
      do {
        let content = try SignedManifest.unverifiedContent(of: file)
        try Console.write("NOT VERIFIED: give --key to say whose signature counts\n" + ManifestText(manifest: content).text())
      } catch {
        throw CommandFailure(.failed, "'\(manifest)' can't be shown: \(error.message)")
      }
    } else {
      let loaded = try verification.load(manifest)
      let signers = loaded.signedBy.map(\.hex).joined(separator: ", ")
      try Console.write("verified: signed by \(signers)\n" + ManifestText(manifest: loaded.manifest).text())
    }
  }
}
