import ArgumentParser

/// `--why` of `pintle decide`, and what it reads.
struct WhyOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Explain: cause, attack or renewal, affected clients, next commands.",
      discussion:
        "The host's own address is used unless --connect names another. --manifest may be a folder of releases."))
  var why = false

  @Option(
    help: ArgumentHelp("Explain the last event in this log of a client; '-' for standard input.", valueName: "file"),
    completion: .file())
  var log: String?

  @Option(
    help: ArgumentHelp("Explain the chain in this report of a client; '-' for standard input.", valueName: "file"),
    completion: .file())
  var report: String?

  @Option(help: ArgumentHelp("Explain what this record shows.", valueName: "file"), completion: .file())
  var evidence: String?

  @Option(
    help: ArgumentHelp("An earlier record, to say what changed.", valueName: "file"), completion: .file())
  var before: String?

  @Option(
    help: ArgumentHelp(
      "An answer of the collector, of /v1/manifests or /v1/failures: which clients are affected. Repeatable.",
      valueName: "file"), completion: .file())
  var collector: [String] = []

  /// The options that read something, as they are written.
  var sources: [String] {
    [("--log", log), ("--report", report), ("--evidence", evidence)].filter { $0.1 != nil }.map(\.0)
  }

  func validate() throws {
    let others = [before == nil ? nil : "--before", collector.isEmpty ? nil : "--collector"].compactMap(\.self)
    if !why, let option = (sources + others).first { throw ValidationError("\(option) requires --why.") }
    if sources.count > 1 { throw ValidationError("\(sources[0]) can't be combined with \(sources[1]).") }
    if [log, report, evidence, before].filter({ $0 == "-" }).count + collector.filter({ $0 == "-" }).count > 1 {
      throw ValidationError("Only one file can be standard input.")
    }
  }
}
