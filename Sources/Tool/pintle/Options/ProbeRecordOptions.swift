import ArgumentParser
import Diagnostics
import Glibc
import PinFormat
import PinProbe

/// What is kept of probing.
struct ProbeRecordOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "How many hosts must answer, such as 95% or 40; fewer are an error. The default is 100%.", valueName: "number"),
    transform: MinimumSuccessArgument.read)
  var minSuccess = MinimumSuccessArgument.all

  @Option(help: ArgumentHelp("Write the evidence to this file.", valueName: "file"), completion: .file())
  var record: String?

  @Option(
    help: ArgumentHelp("Evaluate this evidence instead of probing.", valueName: "file"), completion: .file())
  var replay: String?

  @Option(help: ArgumentHelp("Write an HTML report to this file.", valueName: "file"), completion: .file())
  var html: String?

  func validate() throws {
    if record != nil, replay != nil { throw ValidationError("--record can't be combined with --replay.") }
    if let record, record == html { throw ValidationError("--record and --html name the same file.") }
    if record == "-" || html == "-" { throw ValidationError("Standard output is for the report; name a file.") }
  }

  /// Finds out before all the work whether there is a place for its results.
  func check() throws(CommandFailure) {
    for path in [record, html].compactMap(\.self) {
      let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
      guard access(folder, W_OK) != 0 else { continue }
      throw CommandFailure(
        .failed, "can't write '\(path)': \(String(cString: strerror(errno)))",
        help: "No server was probed. Create the directory, or name another file.")
    }
  }

  /// Writes the evidence; an error is returned, not thrown, because the findings are still printed.
  func write(_ evidence: Evidence) -> CommandFailure? {
    guard let record else { return nil }
    do { try Output.write(EvidenceFile.bytes(of: evidence), to: record) } catch { return error }
    return nil
  }
}
