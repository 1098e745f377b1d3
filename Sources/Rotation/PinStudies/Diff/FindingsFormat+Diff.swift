package import Diagnostics
import PinRotation

/// What each format shows of a diff.
extension FindingsFormat {
  /// The whole output, with a line break at its end.
  ///
  /// - Parameters:
  ///   - diff: What a release changes.
  ///   - shown: The findings that text shows.
  ///   - style: How text is written.
  /// - Returns: The output.
  package func render(_ diff: DiffReport, shown: Report, style: TextRenderer) -> String {
    switch self {
    case .text, .concise: DiffText(diff: diff, shown: shown, style: style).text(isConcise: self == .concise)
    case .markdown: DiffMarkdown(diff: diff).text()
    case .json: DiffJSON(diff: diff).text()
    case .sarif: SARIFRenderer().render(Self.withRemarks(diff))
    case .github: GitHubRenderer().render(Self.withRemarks(diff, accepted: Self.accepted(diff.report)))
    case .gitlab: GitLabRenderer().render(diff.report)
    case .junit: JUnitRenderer().render(diff.report)
    }
  }

  /// Whether the errors of a policy are shown where the diff would be; not in what a person reads at once, or in what
  /// describes changes.
  package var hasErrorsOfDiff: Bool {
    switch self {
    case .text, .concise, .json: false
    case .markdown, .sarif, .github, .gitlab, .junit: true
    }
  }

  /// The suppressed findings, which annotations leave out, but a reviewer has to see.
  private static func accepted(_ report: Report) -> [String] {
    let shown = report.suppressed.prefix(10).map { finding in
      let diagnostic = finding.diagnostic
      return "suppressed: \(diagnostic.severity.rawValue): \(diagnostic.message) [\(diagnostic.code)]\n"
        + "accepted until \(finding.until): \(finding.reason)"
    }
    let rest = report.suppressed.count - shown.count
    return shown + (rest > 0 ? ["and \(counted(rest, "more suppressed finding"))"] : [])
  }

  /// The findings, and what a reviewer has to look at besides, as far as a format for findings has a place for it.
  private static func withRemarks(_ diff: DiffReport, accepted: [String] = []) -> Report {
    var report = diff.report
    report.remarks = [diff.headline] + diff.blindSpots + accepted
    report.remarks += ChangeRisk.allCases.reversed().flatMap { risk in
      diff.groups.lazy.filter { $0.risk == risk && risk != .none }.prefix(10).map { group in
        let subjects = ChangeGroup.list(group.subjects)
        let lines = group.lines.map { "\($0.field): \($0.text)" }
        return "\(risk.title(diff.check)): \(group.title)\(subjects.isEmpty ? "" : " " + subjects)\n"
          + lines.joined(separator: "\n")
      }
    }
    return report
  }
}
