import ArgumentParser
import PinCompiler
import PinFormat
import PinValidator

/// `pintle inspect`: what a manifest holds.
struct Inspect: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what a manifest holds, as tables.",
    discussion: """
      With --key the manifest is verified first, and nothing is shown of one that is refused. Without, it is shown as \
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
      let content = try Self.unverifiedContent(of: manifest)
      try Console.write("NOT VERIFIED: give --key to say whose signature counts\n")
      try Console.write(ManifestText(manifest: content).text())
    } else {
      let loaded = try verification.load(manifest)
      let signers = loaded.signedBy.map(\.hex).joined(separator: ", ")
      try Console.write("verified: signed by \(signers)\n" + ManifestText(manifest: loaded.manifest).text())
    }
  }

  private static func unverifiedContent(of path: String) throws(CommandFailure) -> Manifest {
    let file = try Input.read(path, limit: .manifest)
    do {
      return try SignedManifest.unverifiedContent(of: file)
    } catch {
      throw CommandFailure(.failed, "'\(path)' can't be shown: \(error.message)")
    }
  }
}
