import ArgumentParser
import Diagnostics
import PinFormat
import PinPolicy

/// `--renewals`: which hosts keep their keys at the next renewal.
struct RenewalOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A record of 'pintle check --renewals'. Hosts whose renewals keep the key get no warning about a new key (P621). "
        + "Repeatable, for records of several machines: of several answers for a host, the worst counts.",
      valueName: "file"), completion: .file())
  var renewals: [String] = []

  /// Whether the next renewal of a host's certificate is known to keep its key; a record that is too old says nothing.
  func load(at instant: Instant) throws(CommandFailure) -> @Sendable (HostName, UInt16) -> Bool {
    var records: [RenewalRecord] = []
    for path in renewals {
      let record = try RenewalRecord.read(path: path)
      let change = record.change { path in
        InputFile.isRegular(path) ? try? InputFile.read(path, limit: RenewalRecord.sizeLimit) : nil
      }
      if let objection = record.objection(at: instant) ?? change {
        Console.warn(
          "the record '\(VisibleText.of(path))' isn't used: \(objection)",
          help: "Make it again: pintle check --renewals PATH --record FILE.")
      } else {
        records.append(record)
      }
    }
    let all = RenewalRecord(checked: instant, hosts: records.flatMap(\.hosts))
    // A certificate's names have no ports, so the answer holds for all of them.
    return { host, _ in all.keepsKey(host) }
  }
}
