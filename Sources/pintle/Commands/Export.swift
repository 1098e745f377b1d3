import ArgumentParser
import Diagnostics
import PinExchange

/// `pintle export`: a signed file for other tools.
struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write a manifest or a keyset in a format that other tools read.",
    discussion: """
      With --dsse, an envelope whose payload is the signed bytes and whose signatures are the very same: whatever \
      verifies DSSE envelopes verifies it, and may add signatures. Nothing is signed anew and nothing is verified. A \
      draft that nobody has signed yet becomes an envelope without signatures.

      EXAMPLES:
        pintle export manifest.json --dsse -o envelope.json
        pintle export 2.keyset.json --dsse -o -
      """)

  @Argument(help: ArgumentHelp("The manifest or keyset.", valueName: "file"))
  var file: String

  @Flag var format: ExchangeFormat

  @Option(
    name: .shortAndLong, help: ArgumentHelp("Where to write it; '-' for standard output.", valueName: "file"))
  var output: String

  func run() throws {
    let bytes = try Input.read(file, limit: .manifest)
    let document: SignedDocument
    do throws(ExchangeError) {
      document = try SignedDocument(file: bytes)
    } catch {
      throw CommandFailure(
        .failed, "'\(file)' can't be exported: \(error.message)",
        help: "Give a manifest of 'pintle build' or a keyset of 'pintle keyset', as it was written.")
    }
    try Output.write(format.write(document), to: output)
    Console.say(
      "exported \(output == "-" ? "the \(format.noun)" : VisibleText.of(output)): the \(document.content.noun) as a \(format.noun), "
        + counted(document.signatures.count, "signature"))
  }
}
