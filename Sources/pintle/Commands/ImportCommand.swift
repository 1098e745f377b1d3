import ArgumentParser
import Diagnostics
import OpenSSLKit
import PinExchange
import PinFormat
import PinValidator

/// `pintle import`: a file that other tools signed.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take a manifest or a keyset from a format that other tools write.",
    discussion: """
      With --dsse, an envelope that any tool may have written, with white space and fields of its own. The payload must \
      be a manifest or a keyset in its one encoding, byte for byte; what is written is the file that clients take.

      With --key or --keyset, the file is verified before it is written, and each key is tried on the signatures that \
      name none, or name it otherwise. Without, nothing is verified, and each signature must name its key as 'pintle \
      keys show' does. A keyset is verified by --keyset as the version after it.

      EXAMPLES:
        pintle import envelope.json --dsse -o manifest.json --key a.pub --key b.pub --threshold 2
        pintle import envelope.json --dsse -o manifest.json --keyset keysets
        pintle import envelope.json --dsse -o 2.keyset.json --keyset 1.keyset.json
      """)

  @Argument(help: ArgumentHelp("The file that another tool wrote.", valueName: "file"))
  var file: String

  @Flag var format: ExchangeFormat

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write the manifest or keyset; '-' for standard output.", valueName: "file"))
  var output: String

  @OptionGroup var verification: VerificationOptions

  func run() throws {
    let imported = try ImportedFile(read(), verifiedBy: verification, from: file)
    try SignatureLoss.prevent(by: imported.bytes, imported.content, at: output)
    try Output.write(imported.bytes, to: output)
    for line in imported.remarks { Console.say(line) }
    Console.say(
      "imported \(output == "-" ? "the \(imported.content.noun)" : VisibleText.of(output)): \(imported.content.noun), "
        + "\(counted(imported.signatures, "signature")), "
        + (imported.isVerified ? "verified" : "not verified; 'pintle verify' does that"))
  }

  private func read() throws(CommandFailure) -> SignedDocument {
    let bytes = try Input.read(file, limit: .exchanged)
    do {
      return try format.read(bytes)
    } catch {
      throw CommandFailure(
        .failed, "'\(file)' can't be imported: \(error.message)",
        help: "Give a \(format.noun) whose payload is a manifest or a keyset, as 'pintle export' writes it.")
    }
  }
}
