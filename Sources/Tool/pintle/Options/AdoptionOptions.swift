import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy
import PinRelease
import PinRules
import PinStudies
import PinValidator

/// `--adoption`, how many senders run which release.
struct AdoptionOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How many senders run which release, as a collector counted (/v1/adoption). It may make a wait longer, never "
        + "shorter.",
      valueName: "file"), completion: .file())
  var adoption: String?

  /// Reads the file; what is too old is used with a warning.
  func load(at instant: Instant, against baseline: String?) throws(CommandFailure) -> Loaded {
    guard let adoption else { return Loaded() }
    guard baseline != nil else {
      throw CommandFailure(
        .usage, "--adoption requires --against", help: "Pass what clients have: --against BASELINE.")
    }
    let record = try AdoptionRecord.read(path: adoption)
    try record.require(notAfter: instant, path: adoption)
    if let age = record.age(at: instant) {
      Console.warn(
        "'\(VisibleText.of(adoption))' says little about the clients of today: \(age)",
        help: "Fetch it again from the collector: /v1/adoption.")
    }
    if let day = record.adoption(of: nil).days.last, day.number == record.rows.map(\.day).max() {
      Console.warn(
        "\(Share.number(day.all)) \(day.all == 1 ? "sender" : "senders") of \(day.text) didn't say which audience they have, "
          + "and no wait becomes longer for them",
        help: "They may have older client libraries. See what they run with 'pintle simulate --shares'.")
    }
    return Loaded(record: record)
  }

  /// A file, of which each question gets the part of its audience.
  struct Loaded {
    var record: AdoptionRecord?

    func add(to question: inout RotationQuestion) {
      guard let record, let newest = question.released.last else { return }
      question.adoption = record.adoption(of: newest.loaded.audience)
    }
  }
}
