/// The formats in which a report can be had.
package enum FindingsFormat: String, CaseIterable, Sendable {
  case text
  /// A line for each finding.
  case concise
  case json
  case sarif
  case github
  case gitlab
  case junit
  case markdown

  /// Renders a report.
  ///
  /// - Parameters:
  ///   - report: What to render.
  ///   - style: How text is written.
  ///   - failLevel: The least severity that is a failure to JUnit.
  /// - Returns: The whole output, with a line break at its end.
  package func render(_ report: Report, style: TextRenderer = TextRenderer(), failLevel: Severity = .error) -> String {
    switch self {
    case .text: style.render(report)
    case .concise: ConciseRenderer(style).render(report)
    case .json: JSONRenderer().render(report)
    case .sarif: SARIFRenderer().render(report)
    case .github: GitHubRenderer().render(report)
    case .gitlab: GitLabRenderer().render(report)
    case .junit: JUnitRenderer(failLevel: failLevel).render(report)
    case .markdown: MarkdownRenderer().render(report)
    }
  }
}
