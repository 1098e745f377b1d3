import ArgumentParser
import Diagnostics
import PinFormat
import PinProbe
import PinRules
import PinStudies

/// `--evidence`, what live servers present, and under which trust stores it is judged.
struct EvidenceOptions: ParsableArguments {
  @Option(help: ArgumentHelp("A record of what live servers present.", valueName: "file"), completion: .file())
  var evidence: String?

  @OptionGroup var stores: TrustStoreOptions

  func validate() throws {
    if evidence == nil, stores.isGiven {
      throw ValidationError("--trust-store and --no-system-store require --evidence.")
    }
  }

  /// Reads the record; what it says is for the model.
  func load() throws(CommandFailure) -> Loaded {
    guard let evidence else { return Loaded() }
    let record = try EvidenceFile.read(evidence)
    return Loaded(record: record, stores: try stores.load(besides: record))
  }

  /// A record and the trust stores to judge it under; none for those that it records.
  struct Loaded {
    var record: Evidence?
    var stores: [NamedStore] = []

    func add(to question: inout RotationQuestion) {
      question.evidence = record
      question.stores = stores
    }
  }
}
