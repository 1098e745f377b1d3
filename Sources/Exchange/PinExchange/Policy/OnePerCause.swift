import Diagnostics

/// One finding for what is wrong in the same way in many places, with their number.
enum OnePerCause {
  /// What makes two findings one: they say the same of other names.
  private struct Cause: Hashable {
    var kind: ImportFinding.Kind
    var message: String
    var help: String

    init(_ finding: ImportFinding) {
      kind = finding.kind
      // Messages of one cause differ only in what they quote.
      message = finding.message.replacing(#/'[^']*'/#, with: "''")
      help = finding.help.replacing(#/'[^']*'/#, with: "''")
    }
  }

  /// How many other places a message names.
  private static let placesShown = 5

  static func of(_ findings: [ImportFinding], in files: [String]) -> [ImportFinding] {
    var order: [Cause] = []
    var groups: [Cause: [ImportFinding]] = [:]
    for finding in findings {
      let cause = Cause(finding)
      if groups[cause] == nil { order.append(cause) }
      groups[cause, default: []].append(finding)
    }
    return order.compactMap { cause in
      guard let group = groups[cause]?.sorted(by: { $0.place < $1.place }), var first = group.first else { return nil }
      let others = group.dropFirst().map(\.place)
      guard !others.isEmpty else { return first }
      let shown = others.prefix(placesShown).map { place in
        let isSame = place.file == first.place.file || !files.indices.contains(Int(place.file.index))
        return isSame ? "line \(place.start.line)" : "\(files[Int(place.file.index)]):\(place.start.line)"
      }
      let more = others.count > placesShown ? " and elsewhere" : ""
      first.message +=
        "; the same \(others.count == 1 ? "once more" : "\(others.count) times more"), at "
        + shown.joined(separator: ", ") + more
      return first
    }
  }
}
