import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRelease

/// What commands share that make the next version of a keyset.
struct NextKeysetOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Where to write the next version, such as 2.keyset.json; '-' for standard output.", valueName: "file"),
    completion: .file())
  var output: String

  @Option(
    help: ArgumentHelp("When it expires: an instant or a date; 'same' for when the last one does.", valueName: "time"),
    transform: ExpiryArgument.read)
  var expires: ExpiryArgument

  @Option(
    help: ArgumentHelp("When it is issued: an instant, a date, or 'now', the default.", valueName: "time"),
    transform: TimeArgument.read)
  var issuedAt: TimeArgument?

  @Option(help: ArgumentHelp("How many signatures a manifest needs; as before unless given.", valueName: "count"))
  var threshold: Int?

  @Option(
    help: ArgumentHelp("How many signatures of roots a keyset needs; as before unless given.", valueName: "count"))
  var rootThreshold: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The lowest serial of a manifest that clients accept; as before unless given.", valueName: "serial"),
    transform: SerialArgument.read)
  var minimumSerial: Int64?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Let serials begin again here, however far clients were: after somebody with stolen keys signed a high serial.",
      valueName: "serial"), transform: SerialArgument.read)
  var restart: Int64?

  @OptionGroup var signingKeys: SigningKeyOptions
  @OptionGroup var facts: FactsOptions

  func validate() throws {
    try facts.check(output: output)
    if minimumSerial != nil, restart != nil {
      throw ValidationError("--restart is the minimum serial, too: give one of the two.")
    }
  }

  /// Makes the version after a file's, says what it changes, and writes it.
  func make(after path: String, _ edits: [KeysetRequest.Edit]) throws(CommandFailure) {
    let last = try KeysetFiles.trusted(path)
    let issued = issuedAt?.instant ?? TimeArgument.now
    try IssueTime.check(issued)
    let next: Keyset
    do throws(KeysetPlanError) {
      next = try KeysetRequest(
        edits, threshold: threshold, rootThreshold: rootThreshold, issued: issued, expires: expires.instant,
        minimumSerial: minimumSerial, restartSerialsAt: restart
      ).next(after: last.file.keyset)
    } catch {
      throw CommandFailure(.usage, error.message, help: error.help)
    }
    let draft = try KeysetDraft(of: next, after: last.file)
    try draft.present(at: issued)
    try draft.write(new: output, signedBy: signingKeys, facts)
  }
}
