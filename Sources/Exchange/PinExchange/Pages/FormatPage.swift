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

  /// The reference page in `docs/`: a table of all, what each loss means, and the sources.
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
    page += "\n## What a loss means\n\n"
    page += row(["what it can't say", "formats", "written instead", "which means"])
    page += row(Array(repeating: "---", count: 4))
    let losses = allLosses(of: formats)
    for feature in PolicyFeature.allCases {
      for loss in losses where loss.features.first == feature {
        page += row([
          loss.features.map { "`\($0.rawValue)`" }.joined(separator: ", "),
          loss.formats.map { "`\($0)`" }.joined(separator: ", "), loss.remedy, loss.meaning,
        ])
      }
    }
    page += "\n## Sources\n\n" + row(["format", "what it is", "source"]) + row(Array(repeating: "---", count: 3))
    for format in formats { page += row(["`\(format.name)`", format.title, format.citation]) }
    return page
  }

  /// What some formats can't say, with the same consequence.
  private struct Loss {
    var features: [PolicyFeature]
    var formats: [String]
    var remedy: String
    var meaning: String
  }

  /// The losses of each format, each consequence once; the same losses of several formats are one.
  private static func allLosses(of formats: [ExportFormat]) -> [Loss] {
    var all: [Loss] = []
    for format in formats {
      var losses: [Loss] = []
      for feature in PolicyFeature.allCases {
        var loss = Loss(features: [feature], formats: [format.name], remedy: "", meaning: "")
        switch format.support(feature) {
        case .exact: continue
        case .lost(let remedy, let meaning):
          loss.remedy = remedy.title
          loss.meaning = meaning
        case .refused(let reason):
          loss.remedy = "**can't be accepted**"
          loss.meaning = reason
        }
        if let index = losses.firstIndex(where: { $0.remedy == loss.remedy && $0.meaning == loss.meaning }) {
          losses[index].features.append(feature)
        } else {
          losses.append(loss)
        }
      }
      for loss in losses {
        let same = all.firstIndex {
          $0.features == loss.features && $0.remedy == loss.remedy && $0.meaning == loss.meaning
        }
        if let same { all[same].formats.append(format.name) } else { all.append(loss) }
      }
    }
    return all
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
    case .requireAnchor: "an anchor's key, for hosts with keys of the leaf only"
    case .asItStands: "the same, but the target reads it differently"
    }
  }
}
