import ArgumentParser
import Diagnostics
import PinFormat
import PinProbe

/// `pintle evidence`: records of what live servers showed.
struct EvidenceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evidence", abstract: "Merge and compare evidence: records of live servers.",
    subcommands: [Merge.self, Diff.self])
}

extension EvidenceCommand {
  /// `pintle evidence merge`: several records as one.
  struct Merge: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "merge",
      abstract: "Merge several evidence files into one.",
      discussion: """
        For files that 'pintle probe --record' wrote, such as one for each '--shard'. If a host is in several of them, \
        its newest observation is kept as a whole. The order of the files doesn't matter. All must have been made with the \
        same trust stores, and all shards must belong to the same division, such as 1/10 to 10/10. Shards that are still \
        missing are named.

        EXAMPLES:
          pintle evidence merge shard-1.json shard-2.json shard-3.json -o fleet.json
        """)

    @Argument(help: ArgumentHelp("The records to merge.", valueName: "file"), completion: .file())
    var files: [String]

    @Option(
      name: .shortAndLong,
      help: ArgumentHelp("Write the merged record to this file; '-' for standard output.", valueName: "file"),
      completion: .file())
    var output: String

    func validate() throws {
      if files.isEmpty { throw ValidationError("Give the records to merge.") }
    }

    func run() throws {
      OpenFiles.allow(files.count + 64)
      var merge = try EvidenceMerge(files)
      try merge.write(to: output)
      let missing = merge.head.missingShards
      Console.say(
        "merged \(counted(files.count, "record")): \(counted(merge.targets, "host")), "
          + "\(counted(merge.certificates, "certificate"))"
          + (missing.isEmpty ? "" : "; still missing: \(missing)"))
    }
  }
}

extension EvidenceCommand {
  /// `pintle evidence diff`: what changed on the servers between two records.
  struct Diff: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "diff",
      abstract: "Show what changed on the servers between two records.",
      discussion: """
        Compares keys, chains, addresses and TLS versions, host by host, and says at which addresses each change is. It \
        doesn't evaluate anything: 'pintle probe --replay' says whether a policy holds. A host or an address that only one \
        record has may not have been probed for the other. The exit status is 0, changed or not.

        EXAMPLES:
          pintle evidence diff yesterday.json tonight.json
          pintle evidence diff yesterday.json tonight.json --format json
        """)

    @Argument(help: ArgumentHelp("The earlier record.", valueName: "before"), completion: .file())
    var before: String

    @Argument(help: ArgumentHelp("The later record.", valueName: "after"), completion: .file())
    var after: String

    @OptionGroup var facts: FactsOptions

    func run() throws {
      let report = EvidenceChangesReport(from: try EvidenceFile.read(before), to: try EvidenceFile.read(after))
      try facts.write(text: report.text(), json: report.json(by: .pintle))
    }
  }
}

extension Evidence {
  /// The shards that are not here, `2, 5 of 10`; empty where none is missing.
  var missingShards: String {
    guard let count = shards.first?.count else { return "" }
    let here = Set(shards.map(\.number))
    let missing = (1...count).filter { !here.contains($0) }
    let listed = missing.prefix(20).map(String.init).joined(separator: ", ") + (missing.count > 20 ? ", …" : "")
    return "\(missing.count == 1 ? "shard" : "shards") \(listed) of \(count)"
  }
}
