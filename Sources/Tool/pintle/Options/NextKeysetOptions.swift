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
      "Where to write the next version, such as 2.keyset.json; '-' for standard output; for several audiences, a folder.",
      valueName: "file"),
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
  @OptionGroup var time: IssueTimeOption
  @OptionGroup var facts: FactsOptions

  func validate() throws {
    try facts.check(output: output)
    if minimumSerial != nil, restart != nil {
      throw ValidationError("--restart is the minimum serial, too: give one of the two.")
    }
  }

  /// Makes the version after a file's, or after the newest of each audience in a folder; says what each changes, and writes
  /// all of them.
  func make(after path: String, _ edits: [KeysetRequest.Edit]) throws(CommandFailure) {
    let newest = try KeysetFiles.newest(in: path)
    if newest.count > 1, minimumSerial != nil || restart != nil {
      throw CommandFailure(
        .usage,
        "\(restart == nil ? "--minimum-serial" : "--restart") is for one audience, and '\(path)' has \(newest.count)",
        help: "Name the newest keyset of that audience, such as \(newest[0]).")
    }
    let issued = issuedAt?.instant ?? TimeArgument.now
    try IssueTime.check(issued, rehearsedAt: time.at)
    var drafts: [KeysetDraft] = []
    for path in newest {
      let last = try KeysetFiles.trusted(path)
      let next: Keyset
      do throws(KeysetPlanError) {
        next = try KeysetRequest(
          edits, threshold: threshold, rootThreshold: rootThreshold, issued: issued, expires: expires.instant,
          minimumSerial: minimumSerial, restartSerialsAt: restart
        ).next(after: last.file.keyset)
      } catch {
        let about = newest.count == 1 ? "" : "\(VisibleText.of(path)): "
        throw CommandFailure(.usage, about + error.message, help: error.help)
      }
      drafts.append(try KeysetDraft(of: next, after: last.file))
    }
    for draft in drafts { try draft.present(at: time.instant(for: issued)) }
    try KeysetDraft.write(new: drafts, before: newest, to: output, signedBy: signingKeys, time, facts)
  }
}
