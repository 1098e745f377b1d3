import ArgumentParser
import Diagnostics
import PinExchange
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinValidator

/// `pintle import`: what other tools read and write, as policy files; and files that they signed.
struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Convert pins from other formats into a policy.",
    discussion: """
      Reads pins in one of the formats of --list and writes a policy file. Its keys and key sets have names, and \
      comments say where each entry comes from. Problems in the imported files (rules P901 to P912) are shown on \
      standard error, or written to the file of --report. No pin becomes weaker: where a policy can't express a \
      setting, the import writes a stricter one and reports it. 'pintle check' finds no errors in the new file. \
      Problems that only you can fix, such as a missing backup, are suppressed until --expires.

      Keys and key sets that the target directory already has are used again. Hosts that already have an entry there \
      keep it. With --audience, a directory without a manifest.yaml gets one.

      'pintle find' lists the pins in source code, headers and scripts.

      The format 'dsse' reads an envelope from any tool. Its payload must be a manifest or a keyset in canonical form. \
      The import writes the file that clients load. With --key or --keyset, signatures are verified first; each key is \
      tried on signatures that name no key or use another name for it. Without them, nothing is verified, and each \
      signature must name its key as 'pintle show' does. With --keyset, a keyset must be the next version.

      EXAMPLES:
        pintle import --list
        pintle import android network_security_config.xml \\
          -o policies/app.yaml --audience production
        pintle import chromium transport_security_state_static_pins.json \\
          transport_security_state_static.pins -o -
        pintle import dsse envelope.json -o manifest.json \\
          --key a.pub --key b.pub --threshold 2
        pintle import dsse envelope.json -o 2.keyset.json --keyset 1.keyset.json
      """)

  @Argument(
    help: ArgumentHelp("The format; --list shows them.", valueName: "format"),
    completion: .list(ImportFormat.all.map(\.name) + ["dsse"]))
  var format: String?

  @Argument(
    help: ArgumentHelp("The files to read, in the order that the format requires.", valueName: "file"),
    completion: .file())
  var files: [String] = []

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where to write the policy file, or the manifest or keyset; '-' for standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(help: "Show the formats.")
  var list = false

  @OptionGroup var pins: PinImportOptions
  @OptionGroup var verification: VerificationOptions
  @OptionGroup var time: TimeOption

  func validate() throws {
    if list { return }
    guard let format else { throw ValidationError("Give a format; 'pintle import --list' shows them.") }
    let counts: ClosedRange<Int>
    if format == "dsse" {
      counts = 1...1
      if let option = pins.given.first { throw ValidationError("\(option) can't be combined with 'dsse'.") }
    } else if let found = ImportFormat.all.first(where: { $0.name == format }) {
      counts = found.files
      if !verification.keys.isEmpty || verification.keyset != nil || verification.threshold != nil {
        throw ValidationError("--key, --keyset and --threshold are only for 'dsse': other formats aren't signed.")
      }
    } else {
      let known = ImportFormat.all.map(\.name) + ["dsse"]
      let suggestion = Suggestion.formats(format, among: known)
      throw ValidationError(
        "There is no format '\(VisibleText.of(format))'. "
          + (suggestion.isEmpty
            ? "'pintle find \(files.first.map(ShellWord.of) ?? "FILE")' lists the pins in source code, headers and scripts. "
            : suggestion)
          + "'pintle import --list' shows the formats.")
    }
    guard counts.contains(files.count) else {
      let number = counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
      throw ValidationError("The format '\(format)' takes \(number) file\(counts == 1...1 ? "" : "s").")
    }
    if output == nil { throw ValidationError("Give --output: the policy file to write, or '-' for standard output.") }
  }

  func run() throws {
    if list { return try Console.write(Self.table) }
    guard let format, let output else { return }
    guard let pinFormat = ImportFormat.all.first(where: { $0.name == format }) else {
      return try takeEnvelope(files.first ?? "-", to: output)
    }
    let inputs = try files.map { path throws(CommandFailure) in
      ExchangedFile(name: path == "-" ? "<stdin>" : path, bytes: try Input.read(path, limit: .pins))
    }
    let work = PinImport(
      format: pinFormat, files: inputs, output: output, options: pins, audience: verification.audience,
      instant: time.instant)
    try work.run()
  }

  private static var table: String {
    var table = Table()
    for format in ImportFormat.all {
      let (least, most) = (format.files.lowerBound, format.files.upperBound)
      table.add(format.name, least == most ? counted(least, "file") : "\(least) to \(most) files", format.title)
    }
    table.add("dsse", "1 file", "a manifest or keyset that other tools signed, in a DSSE envelope")
    return table.text()
  }

  private func takeEnvelope(_ file: String, to output: String) throws {
    let document: SignedDocument
    let bytes = try Input.read(file, limit: .exchanged)
    do {
      document = try DSSEEnvelope.read(bytes)
    } catch {
      throw CommandFailure(
        .failed, "'\(file)' can't be imported: \(error.message)",
        help: "Give a DSSE envelope whose payload is a manifest or a keyset, as 'pintle export' writes it.")
    }
    let imported = try ImportedFile(document, verifiedBy: verification, from: file)
    try SignatureLoss.prevent(by: imported.bytes, imported.content, at: output)
    try Output.write(imported.bytes, to: output)
    for line in imported.remarks { Console.say(line) }
    Console.say(
      "imported \(output == "-" ? "the \(imported.content.noun)" : VisibleText.of(output)): \(imported.content.noun), "
        + "\(counted(imported.signatures, "signature")), "
        + (imported.isVerified
          ? "verified"
          : "not verified; 'pintle verify \(output == "-" ? "FILE" : ShellWord.of(output)) --key KEY.pub' does that"))
  }
}
