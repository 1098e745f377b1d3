import ArgumentParser
import Diagnostics
import PinCompiler
import PinFormat

/// `pintle sign`: one more signature on a manifest.
struct Sign: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Add a signature to a manifest.",
    discussion: """
      Shows what the manifest says, then adds the key's signature; what others signed stays as it is. The signed bytes \
      never change, so the file can travel from signer to signer. With --key the manifest is signed only where \
      these keys have signed it.

      EXAMPLES:
        pintle sign manifest.json --sign-key second.key
        pintle sign manifest.json --sign-key second.key -o signed.json
        pintle sign manifest.json --sign-key second.key --key release.key.pub
      """)

  @Argument(help: ArgumentHelp("The manifest.", valueName: "manifest"))
  var manifest: String

  @OptionGroup var signingKeys: SigningKeyOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where to write the signed manifest; in place unless given, '-' for standard output.", valueName: "file"))
  var output: String?

  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "A public key (PEM) whose signature must be there already; give it again for further ones.", valueName: "file"))
  var keys: [String] = []

  func validate() throws {
    if signingKeys.isEmpty { throw ValidationError("Give at least one --sign-key.") }
  }

  func run() throws {
    let signers = try signingKeys.signers()
    let file = try keys.isEmpty ? Input.read(manifest, limit: .manifest) : verified()
    let signed: SignedManifest
    do throws(SigningError) {
      let content = try SignedManifest.unverifiedContent(of: file)
      Console.say(ManifestText(manifest: content).text())
      signed = try SignedManifest.add(signers, to: file)
    } catch {
      throw CommandFailure(.failed, "'\(manifest)' can't be signed: \(error.message)", help: error.help)
    }
    try signingKeys.protectKeys(from: output ?? manifest)
    try Output.write(signed.bytes, to: output ?? manifest)
    for id in signed.added { Console.say("signed by \(id.hex)") }
    Console.say("\(counted(signed.signatures.count, "signature")) in all")
  }

  /// The file, refused where one of the signatures that must be there isn't.
  private func verified() throws(CommandFailure) -> [UInt8] {
    let trusted = try SigningKeyFile.publicKeys(keys)
    return try VerifiedFile.load(manifest, trusted: trusted, threshold: trusted.count, audience: nil).bytes
  }
}
