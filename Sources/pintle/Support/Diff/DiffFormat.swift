import PinRotation
import ArgumentParser
import Diagnostics

/// The formats in which a diff can be had.
enum DiffFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case markdown
  case json
  case sarif
  case github

  /// The whole output, with a line break at its end.
  func render(_ diff: DiffReport, isColoured: Bool) -> String {
    switch self {
    case .text: DiffText(diff: diff, isColoured: isColoured).text()
    case .markdown: DiffMarkdown(diff: diff).text()
    case .json: DiffJSON(diff: diff).text()
    case .sarif: SARIFRenderer().render(Self.withRemarks(diff))
    case .github: GitHubRenderer().render(Self.withRemarks(diff))
    }
  }

  /// The findings, and what a reviewer has to look at besides, as far as a format for findings has a place for it.
  private static func withRemarks(_ diff: DiffReport) -> Report {
    var report = diff.report
    report.remarks = [diff.headline] + diff.blindSpots
    report.remarks += ChangeRisk.allCases.reversed().flatMap { risk in
      diff.groups.lazy.filter { $0.risk == risk && risk != .none }.prefix(10).map { group in
        let subjects = ChangeGroup.list(group.subjects)
        let lines = group.lines.map { "\($0.field): \($0.text)" }
        return "\(risk.title): \(group.title)\(subjects.isEmpty ? "" : " " + subjects)\n"
          + lines.joined(separator: "\n")
      }
    }
    return report
  }
}
