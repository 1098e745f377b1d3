/// What each format can say of a policy, as people read it: made from what the exporters themselves go by.
package enum FormatPage {
  /// The formats and their titles, in aligned lines.
  package static func terminal(_ formats: [ExportFormat]) -> String {
    let rows =
      formats.map { ($0.name, $0.title) } + [("dsse", "the envelope of DSSE around a signed manifest or keyset")]
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, title in
      name + String(repeating: " ", count: width - name.count + 2) + title + "\n"
    }.joined()
  }

  /// The reference page in `docs/`: a table of all, and for each format what a loss means.
  package static func reference(_ formats: [ExportFormat]) -> String {
    var page = """
      # What each format can say

      A row is something that a policy can say; a column is a format of `pintle export`. **yes**: the format says the same.
      **lost**: it can't; the export fails unless `--accept` names the loss. **no**: it can't, and no loss could be
      accepted without making the pins weaker or worthless, so hosts that need it aren't exported. The exporters use
      this same table.

      Only `dsse` carries a signature, a serial, or a manifest's freshness. For all other formats, deliver the files over a
      channel that you trust.

      <!-- Made by: pintle export --list --format markdown > docs/formats.md -->


      """
    page += row(["", "the policy says"] + formats.map { "`\($0.name)`" })
    page += row(Array(repeating: "---", count: formats.count + 2))
    for feature in PolicyFeature.allCases {
      page += row(["`\(feature.rawValue)`", feature.title] + formats.map { word($0.support(feature)) })
    }
    for (index, format) in formats.enumerated() {
      let table = losses(of: format)
      let twin = formats[..<index].first { $0.citation == format.citation && losses(of: $0) == table }
      page += "\n## \(format.name)\n\n\(format.title). "
      if let twin {
        page += "It can say what [`\(twin.name)`](#\(twin.name)) can.\n"
      } else {
        page += "Source: \(format.citation).\n\n" + table
      }
    }
    return page
  }

  /// A row for each consequence, with all features that have it.
  private static func losses(of format: ExportFormat) -> String {
    var losses: [(features: [String], consequence: [String])] = []
    for feature in PolicyFeature.allCases {
      let consequence: [String]
      switch format.support(feature) {
      case .exact: continue
      case .lost(let remedy, let meaning): consequence = [remedy.title, meaning]
      case .refused(let reason): consequence = ["**can't be accepted**", reason]
      }
      let name = "`\(feature.rawValue)`"
      if let index = losses.firstIndex(where: { $0.consequence == consequence }) {
        losses[index].features.append(name)
      } else {
        losses.append((features: [name], consequence: consequence))
      }
    }
    if losses.isEmpty { return "It says all of it.\n" }
    return row(["what it can't say", "written instead", "which means"]) + row(["---", "---", "---"])
      + losses.map { row([$0.features.joined(separator: ", ")] + $0.consequence) }.joined()
  }

  private static func word(_ support: FormatSupport) -> String {
    switch support {
    case .exact: "yes"
    case .lost: "lost"
    case .refused: "**no**"
    }
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |\n"
  }
}

extension Remedy {
  /// What is written, in a few words.
  var title: String {
    switch self {
    case .leaveHostOut: "the host is left out"
    case .leaveKeysOut: "the keys are left out"
    case .leaveAway: "nothing"
    case .coverDirectSubdomains: "the names one label below"
    case .coverHostOnly: "the host alone"
    case .takeOut: "the host isn't pinned"
    case .nextDay: "00:00:00Z of the day after"
    case .requireBoth: "a key of each kind"
    case .asItStands: "the same, but the target reads it differently"
    }
  }
}
