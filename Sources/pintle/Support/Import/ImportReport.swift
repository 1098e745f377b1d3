import Diagnostics
import PinExchange
import PinFormat
import PinRules

/// What was wrong in imported files, as every renderer takes it.
enum ImportReport {
  static func of(_ findings: [ImportFinding], in files: [ExchangedFile], at instant: Instant) -> Report {
    // Sources are sorted by path, and the places are numbered in the order of the command line.
    let sources = SourceSet(files.map { SourceSet.File(path: $0.name, bytes: $0.bytes) })
    let order = files.indices.sorted { files[$0].name.utf8.lexicographicallyPrecedes(files[$1].name.utf8) }
    var numbers: [Int: FileID] = [:]
    for (position, index) in order.enumerated() { numbers[index] = FileID(position) }
    let diagnostics = findings.compactMap { finding -> Diagnostic? in
      var place = finding.place
      place.file = numbers[Int(place.file.index)] ?? FileID(0)
      return Rule.imported(finding.kind.rawValue, at: place, finding.message, help: finding.help)
    }
    return Report(
      diagnostics: diagnostics.sorted(), sources: sources, rules: Rule.exchangeRules.map(\.info),
      tool: .pintle, instant: instant.description)
  }
}
